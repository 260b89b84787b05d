public import CoreNetKitHTTP

/// Raw data that a request can carry: ``Json``, `Data`, ``MultipartModel``, or a format of one's own.
public protocol RequestPayload: Sendable {
    /// Gives the form that HTTP carries.
    ///
    /// - Parameters:
    ///   - encoding: Where the parameters go; a format that is always content ignores it.
    ///   - strategies: How booleans, arrays, dictionaries, dates and `nil` are written in a query or form.
    /// - Returns: Query, content and media type.
    /// - Throws: Anything; the call fails with `encodingFailed` unless it is a ``NetworkError``.
    func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload
}

/// Raw data that a response can be read as: ``Json``, `Data`, or a format of one's own.
public protocol ResponsePayload: Sendable {
    /// The value of the `Accept` field.
    static var accept: String { get }

    /// How the content must be handed over; `nil` takes what the chain is set to.
    static var delivery: ResponseDelivery? { get }

    /// Reads a response whose status was accepted.
    ///
    /// - Parameter response: The response.
    /// - Throws: Anything; the call fails with `decodingFailed` unless it is a ``NetworkError``.
    init(response: TransportResponse) throws
}

extension ResponsePayload {
    /// What the chain is set to.
    public static var delivery: ResponseDelivery? { nil }
}
