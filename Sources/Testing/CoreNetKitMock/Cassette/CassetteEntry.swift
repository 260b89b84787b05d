import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson

/// A complete request; on a tape without secrets.
struct CassetteRequest {
    var method: String
    var url: String
    var headers: Headers
    var body: Data
}

struct CassetteEntry {
    /// How much of the content is on the tape.
    enum Extent: Equatable {
        case whole
        /// Up to where the reader stopped, or to the recorder's limit.
        case truncated
        /// None; the content has this many bytes.
        case missing(Int)
    }

    var request: CassetteRequest
    var status: Int
    var headers: Headers
    var body: Data
    var extent = Extent.whole
    /// The duration, in milliseconds.
    var time: Double
    /// The entry's position in the order of requests, written as seconds after the recording's day.
    var position = 0
    var messages: [CassetteMessage]?
    var isPlayed = false

    var summary: String { "\(request.method) \(request.url)" }
}

extension Redactor {
    /// Redacts content of a known type; other content is unchanged.
    mutating func redacted(_ body: Data, type: String?) -> Data {
        if let redacted = self.body(body, type: type, limit: .max) { return redacted }
        let media = (type ?? "").lowercased()
        let isText = media.hasPrefix("text/") || media.contains("xml") || media.contains("json")
        guard isText, let text = String(validating: body, as: UTF8.self)
        else { return body }
        return Data(message(text).utf8)
    }

    /// Redacts the secrets that the rules name.
    mutating func redacted(_ request: CassetteRequest) -> CassetteRequest {
        CassetteRequest(
            method: request.method,
            url: url(request.url),
            headers: fields(request.headers),
            body: redacted(request.body, type: request.headers["Content-Type"])
        )
    }
}

extension CassetteReplacer {
    func replaced(_ request: CassetteRequest) -> CassetteRequest {
        CassetteRequest(
            method: request.method,
            url: replaced(request.url, as: .url),
            headers: replaced(request.headers),
            body: replaced(request.body, type: request.headers["Content-Type"])
        )
    }

    func replaced(_ headers: Headers) -> Headers {
        guard !tokens.isEmpty else { return headers }
        var result: Headers = [:]
        for field in headers {
            result.append(field.name, replaced(field.value, as: Redactor.hasURLs(field.name) ? .url : .text))
        }
        return result
    }

    /// Replaces secrets in textual content; other content is unchanged.
    func replaced(_ body: Data, type: String?) -> Data {
        let media = (type ?? "").prefix { $0 != ";" }.lowercased()
        if media.contains("json") { return replaced(body, as: .json) }
        if media == "application/x-www-form-urlencoded" { return replaced(body, as: .url) }
        guard media.hasPrefix("text/") || media.contains("xml") else { return body }
        return replaced(body, as: .text)
    }
}

/// A message or close of a WebSocket on a tape.
struct CassetteMessage: Equatable {
    enum Kind: Int {
        case text = 1
        case binary = 2
        /// The content is the code and, after a space, the reason; 1006 is a broken connection.
        case close = 8
    }

    var isSent: Bool
    var kind: Kind
    var content: Data

    /// A request with this content, so that the rules for secrets and comparison apply to it.
    var request: CassetteRequest {
        let first = content.first { !" \t\r\n".utf8.contains($0) }
        let isJSON = kind == .text && first.map { "{[\"".utf8.contains($0) } ?? false
        let type = kind == .text ? isJSON ? "application/json" : "text/plain" : "application/octet-stream"
        return CassetteRequest(method: "", url: "http://socket/", headers: ["Content-Type": type], body: content)
    }

    var shape: [Int] { [isSent ? 1 : 0, kind.rawValue] }

    var code: UInt16 { UInt16(String(decoding: content.prefix { $0 != 0x20 }, as: UTF8.self)) ?? 1005 }
    var reason: String { String(decoding: content.drop { $0 != 0x20 }.dropFirst(), as: UTF8.self) }

    static func close(_ code: UInt16, _ reason: String, isSent: Bool) -> CassetteMessage {
        let text = reason.isEmpty ? "\(code)" : "\(code) \(reason)"
        return CassetteMessage(isSent: isSent, kind: .close, content: Data(text.utf8))
    }

    // MARK: - In an archive, as Chrome writes it

    var json: Json {
        let data = kind == .binary ? content.base64EncodedString() : String(decoding: content, as: UTF8.self)
        return ["type": Json(isSent ? "send" : "receive"), "opcode": Json(kind.rawValue), "data": Json(data)]
    }
}

extension CassetteMessage {
    /// Reads one; `nil` for a kind that is not played, such as a ping.
    init?(_ json: Json) {
        guard let kind = json["opcode"]?.double.flatMap({ Kind(rawValue: Int($0)) }), let data = json["data"]?.string
        else { return nil }
        let content = kind == .binary ? Data(base64Encoded: data) ?? Data() : Data(data.utf8)
        self.init(isSent: json["type"]?.string == "send", kind: kind, content: content)
    }
}
