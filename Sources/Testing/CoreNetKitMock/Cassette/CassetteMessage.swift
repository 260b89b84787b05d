import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson

/// A message or close of a WebSocket on a tape.
struct CassetteMessage: Equatable {
    enum Kind: Int {
        case text = 1
        case binary = 2
        /// The content is the code and, after a space, the reason; 1006 is a broken connection.
        case close = 8
    }

    /// Whether the client sent it.
    var isSent: Bool
    var kind: Kind
    var content: Data

    /// The content as that of a request, to which rules for secrets and comparison apply.
    var request: CassetteRequest {
        let first = content.first { !" \t\r\n".utf8.contains($0) }
        let isJSON = kind == .text && first.map { "{[\"".utf8.contains($0) } ?? false
        let type = kind == .text ? isJSON ? "application/json" : "text/plain" : "application/octet-stream"
        return CassetteRequest(method: "", url: "http://socket/", headers: ["Content-Type": type], body: content)
    }

    /// The sender and the kind of message.
    var shape: [Int] { [isSent ? 1 : 0, kind.rawValue] }

    /// The code of a close.
    var code: UInt16 { UInt16(String(decoding: content.prefix { $0 != 0x20 }, as: UTF8.self)) ?? 1005 }
    var reason: String { String(decoding: content.drop { $0 != 0x20 }.dropFirst(), as: UTF8.self) }

    static func close(_ code: UInt16, _ reason: String, isSent: Bool) -> CassetteMessage {
        CassetteMessage(
            isSent: isSent,
            kind: .close,
            content: Data((reason.isEmpty ? "\(code)" : "\(code) \(reason)").utf8)
        )
    }

    // MARK: - In an archive, as Chrome writes it

    var json: Json {
        [
            "type": Json(isSent ? "send" : "receive"), "opcode": Json(kind.rawValue),
            "data": Json(
                kind == .binary ? content.base64EncodedString() : String(decoding: content, as: UTF8.self)
            ),
        ]
    }

    /// Reads one; `nil` for a kind that is not played, such as a ping.
    init?(_ json: Json) {
        guard let kind = json["opcode"]?.double.flatMap({ Kind(rawValue: Int($0)) }), let data = json["data"]?.string
        else { return nil }
        isSent = json["type"]?.string == "send"
        self.kind = kind
        content = kind == .binary ? Data(base64Encoded: data) ?? Data() : Data(data.utf8)
    }

    init(isSent: Bool, kind: Kind, content: Data) { (self.isSent, self.kind, self.content) = (isSent, kind, content) }
}
