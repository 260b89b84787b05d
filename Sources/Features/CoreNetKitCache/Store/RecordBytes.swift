package import CoreNetKitEssentials

/// Writes the fields of a record: little-endian numbers, lengths before texts.
package struct RecordWriter: Sendable {
    package var bytes: [UInt8] = []

    package init() {}

    package mutating func number(_ value: UInt32) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func number64(_ value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func text(_ text: String) {
        number(UInt32(clamping: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func data(_ data: Data) {
        number(UInt32(clamping: data.count))
        bytes.append(contentsOf: data)
    }

    package mutating func time(_ time: CacheTime) {
        number64(UInt64(bitPattern: time.wall))
        number64(UInt64(bitPattern: time.steady))
        number64(time.run)
    }
}

/// Reads the fields of a record; `nil` if fewer bytes are left than needed.
package struct RecordReader: Sendable {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func data() -> ArraySlice<UInt8>? { number().flatMap { take(Int($0)) } }

    package mutating func number() -> UInt32? {
        take(4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    package mutating func number64() -> UInt64? {
        take(8).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }

    package mutating func flag() -> Bool? {
        take(1)?.first.flatMap { $0 <= 1 ? $0 == 1 : nil }
    }

    package mutating func text() -> String? {
        data().flatMap { String(validating: $0, as: UTF8.self) }
    }

    package mutating func time() -> CacheTime? {
        guard let wall = number64(), let steady = number64(), let run = number64() else { return nil }
        return CacheTime(wall: Int64(bitPattern: wall), steady: Int64(bitPattern: steady), run: run)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
