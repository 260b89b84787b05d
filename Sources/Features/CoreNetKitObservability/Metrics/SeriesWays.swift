import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

/// The ways by which most requests come to their series: known by what is quick to compare, before any label is made.
struct SeriesWays {
    /// What requests without an error have in common whose labels are the same.
    private struct Way {
        let kind: CallFigures.Kind
        /// The text of a URL up to its path.
        let origin: [UInt8]
        let template: String?
        let place: Int

        /// Whether the origin of a URL is this one for certain; another text of it is another way.
        func leads(from url: UnsafeBufferPointer<UInt8>) -> Bool {
            let count = origin.count
            guard url.count >= count, let text = url.baseAddress else { return false }
            guard url.count == count || SeriesWays.endsOrigin(url[count]) else { return false }
            return origin.withUnsafeBytes { SeriesWays.areEqual($0, UnsafeRawPointer(text)) }
        }
    }

    private static let most = 8
    /// The fewest bytes of an origin that is compared: a word of the machine.
    private static let fewest = 8

    private var ways: [Way] = []
    private var next = 0

    /// The series of requests of a kind, by the text of their URL.
    @inline(__always)
    func place(of kind: CallFigures.Kind, _ url: String, _ template: String?) -> Int? {
        for index in ways.indices where ways[index].kind == kind {
            if kind.hasTemplate, ways[index].template != template { continue }
            if url.utf8.withContiguousStorageIfAvailable({ ways[index].leads(from: $0) }) == true {
                return ways[index].place
            }
        }
        return nil
    }

    /// The oldest one makes room.
    mutating func add(_ kind: CallFigures.Kind, _ url: String, _ template: String?, to place: Int) {
        let text = Array(url.utf8)
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), text[colon...].starts(with: Array("://".utf8)) else {
            return
        }
        let origin = text.prefix(colon + 3) + text[(colon + 3)...].prefix { !Self.endsOrigin($0) }
        // No secret is kept for speed.
        guard origin.count >= Self.fewest, !origin.contains(UInt8(ascii: "@")) else { return }
        let way = Way(kind: kind, origin: Array(origin), template: template, place: place)
        if ways.count < Self.most { ways.append(way) } else { ways[next] = way }
        next = (next + 1) % Self.most
    }

    private static func endsOrigin(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Word by word; the last one may overlap the one before it.
    private static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawPointer) -> Bool {
        let last = left.count - 8
        var place = 0
        while place < last {
            guard word(left, place) == right.loadUnaligned(fromByteOffset: place, as: UInt64.self) else { return false }
            place += 8
        }
        return word(left, last) == right.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }
}
