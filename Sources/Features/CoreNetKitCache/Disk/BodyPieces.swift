import CoreNetKitSystem

/// Checksums of content in pieces of 64 KiB, so that each piece is checked when it is read, and not before.
///
/// They follow the content; their own checksum is in the name of the file.
struct BodyPieces: Sendable {
    static let length = 64 << 10

    private var sums: [UInt32] = []
    private var open = CRC32C()
    private var filled = 0

    init() {}

    /// The length of the checksums after content of a length.
    static func trailerLength(of length: Int64) -> Int {
        Int((length + Int64(Self.length) - 1) / Int64(Self.length)) * 4
    }

    /// Adds bytes.
    mutating func add(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.length - filled)
            open.update(part)
            filled += part.count
            rest = rest.dropFirst(part.count)
            if filled == Self.length { close() }
        }
    }

    private mutating func close() {
        sums.append(open.value)
        (open, filled) = (CRC32C(), 0)
    }

    /// The checksums that follow the content.
    mutating func trailer() -> [UInt8] {
        if filled > 0 { close() }
        var out = RecordWriter()
        for sum in sums { out.number(sum) }
        return out.bytes
    }

    /// Reads the checksums after the content; `nil` if they do not match their own checksum.
    init?(trailer: [UInt8], checksum: UInt32) {
        guard CRC32C.checksum(trailer) == checksum else { return nil }
        var reader = RecordReader(trailer[...])
        while let sum = reader.number() { sums.append(sum) }
    }

    /// Whether these bytes are the undamaged piece at an index.
    func isWhole(_ bytes: ArraySlice<UInt8>, at index: Int) -> Bool {
        sums.indices ~= index && CRC32C.checksum(bytes) == sums[index]
    }
}
