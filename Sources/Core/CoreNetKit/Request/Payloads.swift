public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// Raw data that a request can carry: ``Json``, `Data`, ``MultipartModel``, or a custom format.
///
/// ### Choose a payload
/// ``Json`` for most services; `Data` and ``PlainText`` are sent unchanged, ``MultipartModel`` is a form with files.
///
/// ### Use a payload
/// A DTO names it as its ``RawEncodable/Raw``; ``RequestNode`` encodes it.
///
/// ### Implement a payload
/// Return the content and its media type; if the parameters may also be sent in the query or a form, check `encoding`.
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
    /// Encodes the payload for HTTP.
    ///
    /// A format that is always content ignores the encoding. The strategies say how values are written in a query or
    /// form.
    /// - Throws: Anything; the call fails with `encodingFailed` unless it is a ``NetworkError``.
    func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload
}

/// Raw data made from a response: ``Json``, `Data`, or a custom format.
///
/// ### Choose a payload
/// ``Json`` for most services; `Data` and ``PlainText`` have the content unchanged, a ``ResponseStream`` as it arrives.
///
/// ### Use a payload
/// A DTO names it as its ``RawDecodable/Raw``; ``RequestNode`` sends its `accept`, ``ResponseNode`` creates it.
///
/// ### Implement a payload
/// Name the media types, and parse the content. The status is an accepted one: others have already become errors.
///
/// ```swift
/// struct Lines: ResponsePayload {
///     static var accept: String { "text/plain" }
///     let lines: [String]
///
///     init(response: TransportResponse) throws {
///         lines = String(decoding: response.body.data ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init)
///     }
/// }
/// ```
public protocol ResponsePayload: Sendable {
    /// The value of the `Accept` field.
    static var accept: String { get }

    /// How the content must be delivered; `nil` uses the setting of the chain.
    static var delivery: ResponseDelivery? { get }

    /// Reads a response whose status was accepted.
    ///
    /// - Throws: Anything; the call fails with `decodingFailed` unless it is a ``NetworkError``.
    init(response: TransportResponse) throws
}

extension ResponsePayload {
    /// The setting of the chain.
    public static var delivery: ResponseDelivery? { nil }
}

/// A payload encoded for HTTP: content, or items of the query.
public struct EncodedPayload: Sendable {
    /// Escaped query items joined by `&`, without `?`; empty adds nothing.
    public var query: String
    /// The content.
    public var body: RequestBody
    /// The media type of the content; `nil` without content.
    public var contentType: String?

    /// Creates an encoded payload.
    public init(query: String = "", body: RequestBody = .empty, contentType: String? = nil) {
        self.query = query
        self.body = body
        self.contentType = contentType
    }
}

/// Where the parameters of a request go, and in which form; a GET or HEAD always sends its model as the query.
public enum ParametersEncoding: Sendable, Hashable {
    /// JSON in the body: the default.
    case json
    /// `application/x-www-form-urlencoded` in the body.
    case formUrl
    /// Items of the query; no body.
    case urlQuery
}

extension EmptyPayload: RequestPayload {
    /// No content.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
        EncodedPayload()
    }
}

extension Json: RequestPayload {
    /// JSON in the body, or the object's members as a form or a query.
    ///
    /// - Throws: ``RequestEncodingError`` if the value is not an object, which a form or query needs for its names, and
    ///   errors of a model that cannot be encoded.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload {
        switch encoding {
        case .json:
            return EncodedPayload(body: .bytes(try encoded()), contentType: "application/json")
        case .formUrl:
            let form = try strategies.form(ParameterValue(self, coding: coding))
            return EncodedPayload(
                body: .bytes(Data(form.utf8)),
                contentType: "application/x-www-form-urlencoded"
            )
        case .urlQuery:
            return EncodedPayload(query: try strategies.query(ParameterValue(self, coding: coding)))
        }
    }
}

extension Data: RequestPayload {
    /// The bytes as content, whatever the encoding.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
        EncodedPayload(body: .bytes(self), contentType: "application/octet-stream")
    }
}
