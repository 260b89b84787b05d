import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

/// The ways by which most requests come to their series: known by what is quick to compare, before any label is made.
///
/// In memory of its own, because a look at an array or an object is counted, which costs as much as the comparison.
/// `@unchecked Sendable`: its owner reaches it only while it holds its lock.
final class SeriesWays: @unchecked Sendable {
    /// What requests without an error have in common whose labels are the same.
    private struct Way {
        let kind: CallFigures.Kind
        /// The text of a URL up to its path.
        let origin: Text
        let template: String?
        let place: Int
    }

    /// Bytes that are compared word by word.
    private struct Text {
        let bytes: UnsafeMutableRawPointer
        let count: Int

        /// Whether the origin of a URL is this one for certain; another text of it is another way.
        @inline(__always)
        func leads(from url: UnsafeBufferPointer<UInt8>) -> Bool {
            guard url.count >= count, let start = url.baseAddress else { return false }
            guard url.count == count || SeriesWays.endsOrigin(url[count]) else { return false }
            let (text, last) = (UnsafeRawPointer(start), count - 8)
            var place = 0
            while place < last {
                guard isEqual(text, at: place) else { return false }
                place += 8
            }
            // It may overlap the one before it.
            return isEqual(text, at: last)
        }

        @inline(__always)
        private func isEqual(_ text: UnsafeRawPointer, at place: Int) -> Bool {
            bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                == text.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        }
    }

    private static let most = 16
    /// The fewest bytes of an origin that is compared: a word of the machine.
    private static let fewest = 8

    private let ways = UnsafeMutablePointer<Way>.allocate(capacity: most)
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var next = 0

    deinit {
        for index in 0..<count { ways[index].origin.bytes.deallocate() }
        ways.deinitialize(count: count)
        ways.deallocate()
    }

    /// The series of a plain call; its figures are taken by reference, and not changed.
    func place(of plain: CallFigures.Plain, _ figures: inout CallFigures) -> Int? {
        let kind = plain.kind
        return place(of: kind) { index in
            if kind.hasTemplate, ways[index].template != figures.template { return false }
            return figures.first.url.utf8.withContiguousStorageIfAvailable { ways[index].origin.leads(from: $0) }
                == true
        }
    }

    /// The series of any request.
    func place(of sent: CallFigures.Sent, _ template: String?) -> Int? {
        guard let kind = sent.kind(hasTemplate: template != nil) else { return nil }
        return place(of: kind) { index in
            if ways[index].template != template { return false }
            return sent.url.utf8.withContiguousStorageIfAvailable { ways[index].origin.leads(from: $0) } == true
        }
    }

    @inline(__always)
    private func place(of kind: CallFigures.Kind, _ leads: (_ index: Int) -> Bool) -> Int? {
        for index in 0..<count where ways[index].kind == kind && leads(index) { return ways[index].place }
        return nil
    }

    /// The oldest one makes room.
    func add(_ sent: CallFigures.Sent, _ template: String?, to place: Int) {
        guard let kind = sent.kind(hasTemplate: template != nil) else { return }
        let text = Array(sent.url.utf8)
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), text[colon...].starts(with: Array("://".utf8)) else {
            return
        }
        let origin = text.prefix(colon + 3) + text[(colon + 3)...].prefix { !Self.endsOrigin($0) }
        // No secret is kept for speed.
        guard origin.count >= Self.fewest, !origin.contains(UInt8(ascii: "@")) else { return }
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: origin.count, alignment: 8)
        origin.withUnsafeBytes { bytes.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        let way = Way(kind: kind, origin: Text(bytes: bytes, count: origin.count), template: template, place: place)
        if count < Self.most {
            (ways + count).initialize(to: way)
            count += 1
        } else {
            ways[next].origin.bytes.deallocate()
            ways[next] = way
        }
        next = (next + 1) % Self.most
    }

    private static func endsOrigin(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}
