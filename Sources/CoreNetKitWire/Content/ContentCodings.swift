#if os(Linux)
    import CNetCodings
#endif
import CoreNetKitHTTP

/// A coding of content that can be decoded (RFC 9110, 8.4.1).
package enum ContentCoding: UInt8, Sendable, CaseIterable {
    // In the order in which a request offers them.
    case deflate = 2
    case gzip = 1
    case br = 3
    case zstd = 4

    /// The name in `Accept-Encoding`.
    package var name: String {
        switch self {
        case .deflate: "deflate"
        case .gzip: "gzip"
        case .br: "br"
        case .zstd: "zstd"
        }
    }

    /// Codings whose library is there.
    package static let available: [ContentCoding] = {
        #if os(Linux)
            allCases.filter { cnd_has($0.number) }
        #else
            []
        #endif
    }()

    #if os(Linux)
        var number: Int32 {
            switch self {
            case .gzip: Int32(CND_GZIP)
            case .deflate: Int32(CND_DEFLATE)
            case .br: Int32(CND_BROTLI)
            case .zstd: Int32(CND_ZSTD)
            }
        }
    #endif
}

/// The codings of one content, in the order in which they were applied, as the `Content-Encoding` fields list them.
package struct ContentCodings: Sendable, Equatable {
    /// The maximum that is accepted: nobody has a reason for more.
    package static let limit = 5

    /// Four bits each, the one applied last in the lowest.
    private var packed: UInt32 = 0
    /// Whether one is unknown here, or there are too many.
    package private(set) var isUnknown = false

    package init() {}

    /// Whether the content is not coded.
    package var isEmpty: Bool { packed == 0 && !isUnknown }

    /// In decoding order: the coding that was applied last comes first.
    var undone: [ContentCoding] {
        (0..<ContentCodings.limit).compactMap { ContentCoding(rawValue: UInt8(packed >> (4 * $0) & 15)) }
    }

    /// Adds what one field lists.
    package mutating func add(_ list: some BidirectionalCollection<UInt8>) {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        for element in list.split(separator: UInt8(ascii: ",")) {
            guard let start = element.firstIndex(where: { !isSpace($0) }),
                let end = element.lastIndex(where: { !isSpace($0) })
            else { continue }
            add(name: element[start...end])
        }
    }

    private mutating func add(name: some Collection<UInt8>) {
        func `is`(_ text: StaticString) -> Bool {
            name.count == text.utf8CodeUnitCount
                && name.enumerated().allSatisfy { Headers.lowered($1) == text.utf8Start[$0] }
        }
        let coding: ContentCoding
        if `is`("gzip") || `is`("x-gzip") {
            coding = .gzip
        } else if `is`("deflate") {
            coding = .deflate
        } else if `is`("br") {
            coding = .br
        } else if `is`("zstd") {
            coding = .zstd
        } else {
            // The coding that changes nothing may be listed.
            if !`is`("identity"), !`is`("none") { isUnknown = true }
            return
        }
        guard packed >> (4 * (ContentCodings.limit - 1)) == 0 else { return isUnknown = true }
        packed = packed << 4 | UInt32(coding.rawValue)
    }
}
