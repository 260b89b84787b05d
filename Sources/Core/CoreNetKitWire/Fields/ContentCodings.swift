import CoreNetKitHTTP

#if os(Linux)
    import CNetCodings
#endif

/// A coding of content that can be decoded (RFC 9110, 8.4.1).
package enum ContentCoding: UInt8, Sendable, CaseIterable {
    // `CND_…`, in the order in which a request offers them.
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
            allCases.filter { cnd_has(Int32($0.rawValue)) }
        #else
            []
        #endif
    }()
}

/// The codings of one content, in the order in which they were applied, as the `Content-Encoding` fields list them.
package struct ContentCodings: Sendable, Hashable {
    /// The maximum that is accepted: more have no use.
    package static let limit = 5

    /// Four bits each, the one applied last in the lowest.
    private var packed: UInt32 = 0
    /// Whether one is unknown here, or there are too many.
    package private(set) var isUnknown = false

    package init() {}

    package var isEmpty: Bool { packed == 0 && !isUnknown }

    /// Whether the content is coded, and all of its codings are available here; otherwise it is delivered unchanged.
    package var isDecodable: Bool {
        guard packed != 0, !isUnknown else { return false }
        var rest = packed
        while let coding = ContentCoding(rawValue: UInt8(rest & 15)) {
            guard ContentCoding.available.contains(coding) else { return false }
            rest >>= 4
        }
        return true
    }

    /// The codings in decoding order: the one applied last comes first.
    var decodingOrder: [ContentCoding] {
        (0..<ContentCodings.limit).compactMap { ContentCoding(rawValue: UInt8(packed >> (4 * $0) & 15)) }
    }

    /// Not generic over the list: a copy that no module specializes costs each coded response 17 000 instructions.
    package mutating func add(_ list: Range<Int>, of bytes: UnsafeRawBufferPointer) {
        for name in FieldElements(bytes, list) {
            if ASCII.matches(bytes, name, "gzip") || ASCII.matches(bytes, name, "x-gzip") {
                add(.gzip)
            } else if ASCII.matches(bytes, name, "deflate") {
                add(.deflate)
            } else if ASCII.matches(bytes, name, "br") {
                add(.br)
            } else if ASCII.matches(bytes, name, "zstd") {
                add(.zstd)
            } else if !ASCII.matches(bytes, name, "identity"), !ASCII.matches(bytes, name, "none") {
                // The coding that changes nothing may be listed.
                isUnknown = true
            }
        }
    }

    private mutating func add(_ coding: ContentCoding) {
        guard packed >> (4 * (ContentCodings.limit - 1)) == 0 else { return isUnknown = true }
        packed = packed << 4 | UInt32(coding.rawValue)
    }
}
