#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Host and port of a URL.
struct HostKey: Hashable, Sendable {
    /// Where hosts are not told apart.
    static let any = HostKey(name: "", port: 0)

    let name: String
    let port: Int

    // Hosts with several ports are rare.
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    private init(name: String, port: Int) {
        self.name = name
        self.port = port
    }

    init(_ url: URL) {
        var text = url.absoluteString
        if let key = text.withUTF8({ HostKey(plain: $0) }) {
            self = key
        } else {
            let origin = Origin(url)
            self.init(name: origin.host, port: origin.port)
        }
    }

    /// Reads what most URLs are, `http(s)://host(:port)` in lower case, without the price of taking a URL apart.
    private init?(plain text: UnsafeBufferPointer<UInt8>) {
        guard text.starts(with: "http".utf8) else { return nil }
        let isSecure = text.dropFirst(4).first == UInt8(ascii: "s")
        let start = isSecure ? 8 : 7
        guard text.dropFirst(start - 3).starts(with: "://".utf8) else { return nil }
        var end = start
        while end < text.count, Self.isPlain(text[end]) { end += 1 }
        let name = UnsafeBufferPointer(rebasing: text[start..<end])
        var port = isSecure ? 443 : 80
        if end < text.count, text[end] == UInt8(ascii: ":") {
            end += 1
            port = 0
            while end < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[end], port <= 65535 {
                port = port * 10 + Int(text[end] - UInt8(ascii: "0"))
                end += 1
            }
        }
        guard !name.isEmpty, port > 0,
            end == text.count || text[end] == UInt8(ascii: "/") || text[end] == UInt8(ascii: "?")
        else { return nil }
        self.init(name: String(decoding: name, as: UTF8.self), port: port)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
