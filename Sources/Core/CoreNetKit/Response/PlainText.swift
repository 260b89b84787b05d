import CoreNetKitEssentials
public import CoreNetKitHTTP

/// Text as content: the raw form of `String`.
///
/// Sent as `text/plain; charset=utf-8`. Read by the `charset` of `Content-Type`: ISO 8859-1, US-ASCII or UTF-16; UTF-8
/// by default.
public struct PlainText: Sendable, Hashable, RequestPayload, ResponsePayload {
    /// The text.
    public var string: String

    /// Any type is accepted, text is preferred.
    public static var accept: String { "text/plain, */*;q=0.8" }

    /// Creates text.
    public init(_ string: String) { self.string = string }

    /// Reads the content as text.
    ///
    /// - Parameter response: The response, its content collected.
    /// - Throws: ``NetworkError`` with code `decodingFailed` if the bytes are not valid text of their charset.
    public init(response: TransportResponse) throws {
        let data = try response.collectedBytes()
        let charset = Self.charset(in: response.headers["Content-Type"] ?? "")
        guard let text = Self.decode(data, charset) else {
            throw NetworkError(.decodingFailed, "the body is not \(charset) text", node: .response)
        }
        string = text
    }

    /// The text as content, whatever the encoding.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
        EncodedPayload(body: .bytes(Data(string.utf8)), contentType: "text/plain; charset=utf-8")
    }

    private static func decode(_ data: Data, _ charset: String) -> String? {
        switch charset {
        case "iso-8859-1", "latin1": String(data: data, encoding: .isoLatin1)
        case "us-ascii": String(data: data, encoding: .ascii)
        case "utf-16": String(data: data, encoding: .utf16)
        default: String(validating: data, as: UTF8.self)
        }
    }

    private static func charset(in type: String) -> String {
        for parameter in type.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            if pair.count == 2, pair[0].lowercased() == "charset" { return pair[1].lowercased() }
        }
        return "utf-8"
    }
}
