import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension HAREntry {
    /// `127.0.0.1` of `127.0.0.1:80`, `::1` of `[::1]:80`.
    static func host(of address: String) -> String {
        if address.hasPrefix("["), let end = address.firstIndex(of: "]") {
            return String(address[address.index(after: address.startIndex)..<end])
        }
        guard let colon = address.lastIndex(of: ":") else { return address }
        return String(address[..<colon])
    }

    static func write(_ headers: Headers, to output: inout JSONOutput) {
        output.array("headers", of: headers) { pair($1.name, $1.value, to: &$0) }
    }

    /// Text as it is, bytes that are not UTF-8 in Base64.
    static func write(content: Data, encoding: StaticString, to output: inout JSONOutput) {
        if let text = String(validating: content, as: UTF8.self) {
            output.member("text", text)
        } else {
            output.member("text", content.base64EncodedString())
            output.member(encoding, "base64")
        }
    }

    /// A comment on truncated content.
    static func cut(_ content: Data?, of size: Int64?, to output: inout JSONOutput) {
        output.member("comment", "cut: \(content?.count ?? 0) of \(size.map { "\($0)" } ?? "more") bytes")
    }

    static func query(_ url: String, to output: inout JSONOutput) {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        for item in TransportRequest.Item.all(of: url[url.utf8.index(after: mark)...]) {
            pair(item.name, item.value, to: &output)
        }
    }

    static func cookies(_ fields: [String], isRequest: Bool, to output: inout JSONOutput) {
        for field in fields {
            let parts = field.split(separator: ";").map { $0.drop { $0 == " " } }
            for part in isRequest ? parts[...] : parts.prefix(1) {
                let name = part.prefix { $0 != "=" }
                output.object { output in
                    output.member("name", String(name))
                    output.member("value", String(part.dropFirst(name.count + 1)))
                    guard !isRequest else { return }
                    for attribute in parts.dropFirst() { Self.attribute(attribute, to: &output) }
                }
            }
        }
    }

    /// A message of a WebSocket; without recorded content, or if that is not JSON, only its size.
    static func write(_ message: CallEvent.SocketMessage, at time: WallTime, to output: inout JSONOutput) {
        output.object { output in
            output.member("type", message.isSent ? "send" : "receive")
            // Seconds since 1970, with six decimals.
            let (seconds, rest) = max(0, time.microseconds).quotientAndRemainder(dividingBy: 1_000_000)
            output.member("time", digits: "\(seconds).\(CivilTime.padded(Int(rest), 6))")
            output.member("opcode", message.isText ? 1 : 2)
            output.member("data", message.content.map { String(decoding: $0, as: UTF8.self) } ?? "")
            if message.content == nil || message.isCut { output.member("_size", message.size) }
        }
    }

    static func write(_ socket: CallEvent.SocketEnd, to output: inout JSONOutput) {
        output.object("socket") { output in
            output.member("closeCode", Int(socket.closeCode))
            output.member("isClosedByPeer", socket.isClosedByPeer)
            output.member("messagesReceived", socket.messagesReceived)
            output.member("messagesSent", socket.messagesSent)
            output.member("bytesReceived", Int(socket.bytesReceived))
            output.member("bytesSent", Int(socket.bytesSent))
            output.member("reconnects", socket.reconnects)
            if let ping = socket.latestPing { output.member("ping", digits: millisecondsText(ping.microseconds)) }
        }
    }

    private static func attribute(_ attribute: Substring, to output: inout JSONOutput) {
        let name = attribute.prefix { $0 != "=" }.lowercased()
        let value = String(attribute.dropFirst(name.count + 1))
        switch name {
        case "path": output.member("path", value)
        case "domain": output.member("domain", value)
        case "expires":
            guard let civil = HTTPDate.parse(value).flatMap({ CivilTime($0) }) else { return }
            output.member("expires", civil.iso8601)
        case "httponly": output.member("httpOnly", true)
        case "secure": output.member("secure", true)
        default: break
        }
    }

    private static func pair(_ name: String, _ value: String, to output: inout JSONOutput) {
        output.object { output in
            output.member("name", name)
            output.member("value", value)
        }
    }
}
