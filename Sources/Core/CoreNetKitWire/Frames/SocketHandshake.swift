import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// The WebSocket handshake over HTTP/1.1 (RFC 6455, 4).
package enum SocketHandshake {
    package static func key() -> String {
        Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    package static func accept(_ key: String) -> String {
        Data(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }

    package static func fields(key: String, protocols: [String], extensions: String?) -> Headers {
        var fields: Headers = [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key,
        ]
        if !protocols.isEmpty { fields["Sec-WebSocket-Protocol"] = protocols.joined(separator: ", ") }
        if let extensions { fields["Sec-WebSocket-Extensions"] = extensions }
        return fields
    }

    package static func response(key: String, selected: String?, deflate: DeflateAgreement?) -> Headers {
        var fields: Headers = [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Accept": accept(key),
        ]
        if let selected { fields["Sec-WebSocket-Protocol"] = selected }
        if let deflate { fields["Sec-WebSocket-Extensions"] = deflate.response.text }
        return fields
    }

    package struct Agreement: Sendable, Hashable {
        package var selectedProtocol: String?
        package var deflate: DeflateAgreement?
    }

    package struct Offer: Sendable {
        package var protocols: [String]
        /// The window and context of its compressor; `nil` for no compression.
        package var deflate: (windowBits: Int, keepsContext: Bool)?

        package init(protocols: [String] = [], deflate: (windowBits: Int, keepsContext: Bool)? = nil) {
            (self.protocols, self.deflate) = (protocols, deflate)
        }

        package var extensions: String? {
            deflate.map { DeflateAgreement.offer(windowBits: $0.windowBits, keepsContext: $0.keepsContext) }
        }
    }

    package struct Refusal: Error, Sendable, Hashable {
        package let message: String
    }

    package static func check(_ fields: Headers, key: String, offer: Offer) throws(Refusal) -> Agreement {
        guard has(fields, "Upgrade", "websocket") else {
            throw Refusal(message: "no switch to websocket: the field Upgrade is missing or names another protocol")
        }
        guard has(fields, "Connection", "upgrade") else {
            throw Refusal(message: "the field Connection does not say Upgrade")
        }
        guard let accepted = fields["Sec-WebSocket-Accept"], accepted == accept(key) else {
            throw Refusal(message: "Sec-WebSocket-Accept does not match this key: an intermediary replays responses")
        }
        var agreement = Agreement()
        let selected = fields[values: "Sec-WebSocket-Protocol"]
        if let name = selected.first {
            guard selected.count == 1, offer.protocols.contains(name) else {
                throw Refusal(message: "the server selected a protocol that was not offered")
            }
            agreement.selectedProtocol = name
        }
        let text = fields[values: "Sec-WebSocket-Extensions"].joined(separator: ",")
        guard let extensions = SocketExtension.list(text) else {
            throw Refusal(message: "Sec-WebSocket-Extensions cannot be read")
        }
        for one in extensions {
            guard one.name == DeflateAgreement.name, agreement.deflate == nil, let deflate = offer.deflate,
                let agreed = DeflateAgreement(response: one.parameters, to: deflate)
            else {
                throw Refusal(message: "the server selected an extension or a parameter that was not offered")
            }
            agreement.deflate = agreed
        }
        return agreement
    }

    /// Whether a list has a name, given in lower case.
    package static func has(_ fields: Headers, _ name: String, _ token: String) -> Bool {
        tokens(fields, name).contains { $0.lowercased() == token }
    }

    package static func tokens(_ fields: Headers, _ name: String) -> [String] {
        fields[values: name].flatMap { $0.split(separator: ",") }.map { String($0.filter { $0 != " " && $0 != "\t" }) }
    }
}
