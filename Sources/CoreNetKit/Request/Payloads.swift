public import CoreNetKitHTTP

/// Raw data that a request can carry: ``Json``, `Data`, ``MultipartModel``, or a format of one's own.
///
/// ### Choose a payload
/// ``Json`` for most services; `Data` and ``PlainText`` go out as they are, ``MultipartModel`` is a form with files.
///
/// ### Use a payload
/// An entry names it as its ``RawEncodable/Raw``; ``RequestNode`` asks it for its form.
///
/// ### Implement a payload
/// Give the content and its media type; where the parameters may stand in the query or a form, look at `encoding`.
///
/// ```swift
/// struct Csv: RequestPayload, ResponsePayload {
///     static var accept: String { "text/csv" }
///     var text: String
///
///     init(text: String) { self.text = text }
///
///     init(response: TransportResponse) throws {
///         text = String(decoding: response.body.data ?? Data(), as: UTF8.self)
///     }
///
///     func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload {
///         EncodedPayload(body: .bytes(Data(text.utf8)), contentType: "text/csv")
///     }
/// }
/// ```
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
///
/// ### Choose a payload
/// ``Json`` for most services; `Data` and ``PlainText`` take the content as it is, a ``ResponseStream`` as it comes.
///
/// ### Use a payload
/// An entry names it as its ``RawDecodable/Raw``; ``ResponseNode`` asks for what it accepts, and reads the response with it.
///
/// ### Implement a payload
/// Name the media types, and read the content; a sample is at ``RequestPayload``. Status and fields are those of an accepted
/// response: others have become errors before.
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
