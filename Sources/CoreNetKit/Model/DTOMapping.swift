/// Turns a model of the app into an entry of the data layer.
public protocol DTOEncodable: SendableMetatype {
    /// The entry that stands for the model on the wire; a model may be its own entry.
    associatedtype DTO: RawEncodable & Sendable

    /// Makes the entry.
    ///
    /// - Returns: The entry for this model.
    /// - Throws: Whatever keeps the model from being turned into an entry.
    func toDTO() throws -> DTO
}

/// Makes a model of the app from an entry of the data layer.
public protocol DTODecodable: SendableMetatype {
    /// The entry that stands for the model on the wire; a model may be its own entry.
    associatedtype DTO: RawDecodable & Sendable

    /// Makes the model.
    ///
    /// - Parameter dto: The entry for the model.
    /// - Returns: The model.
    /// - Throws: Whatever keeps the entry from being a model.
    static func from(dto: DTO) throws -> Self
}

/// A model that goes both ways.
public typealias DTOConvertible = DTOEncodable & DTODecodable

extension DTOEncodable where DTO == Self {
    /// Hands the model itself on: it is its own entry.
    ///
    /// - Returns: The model.
    public func toDTO() -> Self { self }
}

extension DTODecodable where DTO == Self {
    /// Hands the entry itself on: it is its own model.
    ///
    /// - Parameter dto: The entry.
    /// - Returns: The entry.
    public static func from(dto: Self) -> Self { dto }
}
