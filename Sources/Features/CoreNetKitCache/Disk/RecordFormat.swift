package import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The file format of a record: magic, version, length of the rest, URL, partition, variants, a checksum of all of it.
package enum RecordFormat {
    package static let magic = Array("CNKcache".utf8)
    package static let version: UInt8 = 2

    package static func encode(_ record: CacheRecord, _ key: CacheKey) -> [UInt8] {
        var out = RecordWriter()
        out.append(key.url)
        out.append(key.partition)
        out.append(UInt32(record.variants.count))
        for variant in record.variants { encode(variant, &out) }
        var file = RecordWriter()
        file.bytes += magic
        file.bytes.append(version)
        file.append(UInt32(clamping: out.bytes.count))
        file.bytes += out.bytes
        file.append(CRC32C.checksum(file.bytes))
        return file.bytes
    }

    /// The record of a file; `nil` if the bytes are no record of this version, or belong to another resource.
    package static func decode(_ bytes: [UInt8], _ key: CacheKey) -> CacheRecord? {
        guard var reader = content(of: bytes), reader.text() == key.url, reader.text() == key.partition,
            let count = reader.number(), count <= 64
        else { return nil }
        var record = CacheRecord()
        for _ in 0..<count {
            guard let variant = variant(&reader) else { return nil }
            record.variants.append(variant)
        }
        return reader.isAtEnd ? record : nil
    }

    /// The key of a record; `nil` if the bytes are no record of this version.
    package static func key(_ bytes: [UInt8]) -> CacheKey? {
        guard var reader = content(of: bytes), let url = reader.text(), let partition = reader.text() else {
            return nil
        }
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let caller = parts.count == 2 ? String(parts[1]) : ""
        return CacheKey(text: String(parts[0]), caller: caller, partition: partition, isPersistent: true)
    }

    /// The bytes between head and checksum, if both are valid.
    private static func content(of bytes: [UInt8]) -> RecordReader? {
        let head = magic.count + 5
        guard bytes.count >= head + 4, bytes.starts(with: magic), bytes[magic.count] == version else { return nil }
        var prefix = RecordReader(bytes[(magic.count + 1)...])
        guard let length = prefix.number(), Int(length) == bytes.count - head - 4 else { return nil }
        var sum = RecordReader(bytes[(bytes.count - 4)...])
        guard sum.number() == CRC32C.checksum(bytes[..<(bytes.count - 4)]) else { return nil }
        return RecordReader(bytes[head..<(bytes.count - 4)])
    }

    private static func encode(_ variant: CacheVariant, _ out: inout RecordWriter) {
        out.append(UInt32(clamping: variant.status))
        out.append(variant.id)
        out.append(variant.isDecoded)
        let generations = variant.generations
        for number in [generations.url, generations.partition, generations.anyGroup, variant.groupGenerations] {
            out.append(number)
        }
        out.append(variant.requestTime)
        out.append(variant.responseTime)
        out.append(UInt32(clamping: variant.headers.count))
        for field in variant.headers {
            out.append(field.name)
            out.append(field.value)
        }
        out.append(UInt32(clamping: variant.selectingFields.count))
        for field in variant.selectingFields {
            out.append(field.name)
            out.append(field.value != nil)
            if let value = field.value { out.append(value) }
        }
        switch variant.content {
        case .inline(let data):
            out.append(true)
            out.append(data)
        case .stored(let name, let length):
            out.append(false)
            out.append(name)
            out.append(UInt64(bitPattern: length))
        }
    }

    private static func variant(_ reader: inout RecordReader) -> CacheVariant? {
        guard let status = reader.number(), let id = reader.number64(), let isDecoded = reader.flag(),
            let url = reader.number64(), let partition = reader.number64(), let anyGroup = reader.number64(),
            let groups = reader.number64(), let requestTime = reader.time(), let responseTime = reader.time(),
            let headers = list(&reader, field), let selectingFields = list(&reader, selecting),
            let content = content(&reader)
        else { return nil }
        return CacheVariant(
            id: id,
            status: Int(status),
            headers: Headers(fields: headers),
            selectingFields: selectingFields,
            requestTime: requestTime,
            responseTime: responseTime,
            isDecoded: isDecoded,
            generations: CacheGenerations(url: url, partition: partition, anyGroup: anyGroup),
            groupGenerations: groups,
            content: content
        )
    }

    private static func list<Element>(
        _ reader: inout RecordReader,
        _ element: (inout RecordReader) -> Element?
    ) -> [Element]? {
        guard let count = reader.number() else { return nil }
        var list: [Element] = []
        for _ in 0..<count {
            guard let next = element(&reader) else { return nil }
            list.append(next)
        }
        return list
    }

    private static func field(_ reader: inout RecordReader) -> Headers.Field? {
        guard let name = reader.text(), let value = reader.text() else { return nil }
        return Headers.Field(name: name, value: value)
    }

    private static func selecting(_ reader: inout RecordReader) -> SelectingField? {
        guard let name = reader.text(), let hasValue = reader.flag() else { return nil }
        let value = hasValue ? reader.text() : nil
        return hasValue && value == nil ? nil : SelectingField(name: name, value: value)
    }

    private static func content(_ reader: inout RecordReader) -> CacheVariant.Content? {
        guard let isInline = reader.flag() else { return nil }
        if isInline { return reader.data().map { .inline(Data($0)) } }
        guard let name = reader.text(), let length = reader.number64().map({ Int64(bitPattern: $0) }), length >= 0,
            checksum(ofBody: name) != nil
        else { return nil }
        return .stored(name: name, length: length)
    }

    /// A new suffix for a body's file name, with the checksum of its bytes: `<16 digits>-<8 digits>`.
    static func bodyName(checksum: UInt32) -> String {
        "\(randomDigits())-\(withUnsafeBytes(of: checksum.bigEndian) { Hex.encode($0) })"
    }

    /// The checksum in the suffix of a body's file name; `nil` for another text.
    static func checksum(ofBody name: String) -> UInt32? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, Hex.decode(parts[0]) != nil, parts[1].utf8.count == 8
        else { return nil }
        return UInt32(parts[1], radix: 16)
    }

    /// 16 digits that no other file has in its name.
    static func randomDigits() -> String { withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Hex.encode($0) } }
}

/// Writes the fields of a record: little-endian numbers, lengths before texts.
package struct RecordWriter: Sendable {
    package var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func append(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func append(_ text: String) {
        append(UInt32(clamping: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func append(_ data: Data) {
        append(UInt32(clamping: data.count))
        bytes.append(contentsOf: data)
    }

    package mutating func append(_ time: CacheTime) {
        append(UInt64(bitPattern: time.wallMilliseconds))
        append(UInt64(bitPattern: time.monotonicMilliseconds))
        append(time.bootID)
    }
}

/// Reads the fields of a record; `nil` if fewer bytes are left than needed.
package struct RecordReader: Sendable {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func data() -> ArraySlice<UInt8>? { number().flatMap { take(Int($0)) } }

    package mutating func number() -> UInt32? { take(4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } } }

    package mutating func number64() -> UInt64? { take(8).map { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } } }

    package mutating func flag() -> Bool? { take(1)?.first.flatMap { $0 <= 1 ? $0 == 1 : nil } }

    package mutating func text() -> String? { data().flatMap { String(validating: $0, as: UTF8.self) } }

    package mutating func time() -> CacheTime? {
        guard let wall = number64(), let steady = number64(), let run = number64() else { return nil }
        return CacheTime(
            wallMilliseconds: Int64(bitPattern: wall),
            monotonicMilliseconds: Int64(bitPattern: steady),
            bootID: run
        )
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
