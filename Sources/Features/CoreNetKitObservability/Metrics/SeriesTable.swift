import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

/// A fast table from common requests to their series, keyed by values that are quick to compare, before labels are built.
struct SeriesTable {
    /// The key: the properties shared by requests without an error and with the same labels.
    private struct Key {
        let kind: CallStatistics.Kind
        /// The text of a URL up to its path.
        let origin: [UInt8]
        let template: String?
        let endpoint: String?
        let series: Int

        /// Whether a URL certainly has this origin; another spelling of it needs another key.
        func matches(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
            let count = origin.count
            guard url.count >= count, let text = url.baseAddress else { return false }
            guard url.count == count || SeriesTable.endsOrigin(url[count]) else { return false }
            return origin.withUnsafeBytes { SeriesTable.areEqual($0, UnsafeRawPointer(text)) }
        }
    }

    private static let most = 8
    /// The minimum length of an origin to compare: a machine word.
    private static let fewest = 8

    private var keys: [Key] = []
    private var next = 0

    /// The series of a kind of request, by the text of its URL.
    @inline(__always)
    func series(
        of kind: CallStatistics.Kind,
        _ url: String,
        _ template: String?,
        _ endpoint: @autoclosure () -> String?
    ) -> Int? {
        for index in keys.indices where keys[index].kind == kind {
            if kind.hasTemplate, keys[index].template != template { continue }
            if kind.hasEndpoint, keys[index].endpoint != endpoint() { continue }
            if url.utf8.withContiguousStorageIfAvailable({ keys[index].matches($0) }) == true {
                return keys[index].series
            }
        }
        return nil
    }

    /// Adds a key, replacing the oldest one.
    mutating func add(
        _ kind: CallStatistics.Kind,
        _ url: String,
        _ template: String?,
        _ endpoint: String?,
        to series: Int
    ) {
        let text = Array(url.utf8)
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), text[colon...].starts(with: Array("://".utf8)) else {
            return
        }
        let origin = text.prefix(colon + 3) + text[(colon + 3)...].prefix { !Self.endsOrigin($0) }
        // User info in the URL may be a secret: it is not stored.
        guard origin.count >= Self.fewest, !origin.contains(UInt8(ascii: "@")) else { return }
        let key = Key(kind: kind, origin: Array(origin), template: template, endpoint: endpoint, series: series)
        if keys.count < Self.most { keys.append(key) } else { keys[next] = key }
        next = (next + 1) % Self.most
    }

    private static func endsOrigin(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Compares word by word; the last word may overlap the one before it.
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
