import CoreNetKitEssentials
public import CoreNetKitHTTP

/// Text as content: the raw form of `String`.
///
/// Sent as `text/plain; charset=utf-8`. Decoded by the `charset` of `Content-Type`: US-ASCII, windows-1252 (also used for
/// ISO 8859-1), UTF-16 or UTF-8, which is also the default; without the byte order mark.
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
    /// - Throws: ``NetworkError`` with code `decodingFailed` if the bytes are not valid text of their charset, or neither
    ///   is the charset known nor are they UTF-8.
    public init(response: TransportResponse) throws {
        let data = try response.collectedBytes()
        let charset = Self.charset(in: response.headers["Content-Type"] ?? "")
        let known = TextCharset(name: charset)
        guard let text = (known ?? .utf8).text(of: data) else {
            let reason =
                known == nil
                ? "the charset \(charset) of the body is unknown here, and it is not utf-8 text"
                : "the body is not \(charset) text"
            throw NetworkError(.decodingFailed, reason, node: .response)
        }
        string = text
    }

    /// The text as content, whatever the encoding.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
        EncodedPayload(body: .bytes(Data(string.utf8)), contentType: "text/plain; charset=utf-8")
    }

    private static func charset(in type: String) -> String {
        for parameter in type.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            if pair.count == 2, pair[0].lowercased() == "charset" { return pair[1].lowercased() }
        }
        return "utf-8"
    }
}
