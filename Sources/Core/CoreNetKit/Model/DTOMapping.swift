/// Turns a model of the app into an entry of the data layer.
public protocol DTOEncodable: SendableMetatype {
    /// The entry that represents the model on the wire; a model may be its own entry.
    associatedtype DTO: RawEncodable & Sendable

    /// Makes the entry.
    ///
    /// - Returns: The entry for this model.
    /// - Throws: An error if the model cannot be turned into an entry.
    func toDTO() throws -> DTO
}

/// Makes a model of the app from an entry of the data layer.
public protocol DTODecodable: SendableMetatype {
    /// The entry that represents the model on the wire; a model may be its own entry.
    associatedtype DTO: RawDecodable & Sendable

    /// Makes the model.
    ///
    /// - Parameter dto: The entry for the model.
    /// - Returns: The model.
    /// - Throws: An error if the entry is not a valid model.
    static func from(dto: DTO) throws -> Self
}

/// A model that can be sent and received.
public typealias DTOConvertible = DTOEncodable & DTODecodable

extension DTOEncodable where DTO == Self {
    /// Returns the model itself: it is its own entry.
    ///
    /// - Returns: The model.
    public func toDTO() -> Self { self }
}

extension DTODecodable where DTO == Self {
    /// Returns the entry itself: it is its own model.
    ///
    /// - Parameter dto: The entry.
    /// - Returns: The entry.
    public static func from(dto: Self) -> Self { dto }
}
