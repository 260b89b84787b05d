import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

/// The ways by which most requests come to their series: known by what is quick to compare, before any label is made.
struct SeriesWays {
    /// What requests without an error have in common whose labels are the same.
    private struct Way {
        /// The text of a URL up to its path.
        let origin: [UInt8]
        let method: HTTPMethod
        let status: Int
        let version: String?
        let template: String?
        let place: Int

        /// Whether the origin of a URL is this one for certain; another text of it is another way.
        func leads(from url: UnsafeBufferPointer<UInt8>) -> Bool {
            guard url.count >= origin.count, url.starts(with: origin) else { return false }
            return url.count == origin.count || SeriesWays.endsOrigin(url[origin.count])
        }
    }

    private static let most = 16

    private var ways: [Way] = []
    private var next = 0

    func place(of sent: CallFigures.Sent, _ template: String?) -> Int? {
        guard let status = sent.status, let url = sent.url, Self.isPlain(sent), !ways.isEmpty else { return nil }
        let version = sent.httpVersion
        var text = url.absoluteString
        return text.withUTF8 { text in
            for way in ways where way.status == status && way.method == sent.method {
                if way.version == version, way.template == template, way.leads(from: text) { return way.place }
            }
            return nil
        }
    }

    /// The oldest one makes room.
    mutating func add(_ sent: CallFigures.Sent, _ template: String?, to place: Int) {
        guard let status = sent.status, let url = sent.url, Self.isPlain(sent) else { return }
        let text = Array(url.absoluteString.utf8)
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), text[colon...].starts(with: Array("://".utf8)) else {
            return
        }
        let origin = text.prefix(colon + 3) + text[(colon + 3)...].prefix { !Self.endsOrigin($0) }
        // No secret is kept for speed.
        guard !origin.contains(UInt8(ascii: "@")) else { return }
        let way = Way(
            origin: Array(origin),
            method: sent.method,
            status: status,
            version: sent.httpVersion,
            template: template,
            place: place
        )
        if ways.count < Self.most { ways.append(way) } else { ways[next] = way }
        next = (next + 1) % Self.most
    }

    private static func isPlain(_ sent: CallFigures.Sent) -> Bool { sent.code == nil && !sent.isCancelled }

    private static func endsOrigin(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}
