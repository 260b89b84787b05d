import CoreNetKitHTTP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Small readings of ASCII in place, without a string.
enum ByteText {
    static func find(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let hit = memchr(base + start, Int32(byte), bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(hit) - base
    }

    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start] <= 0x20 { start += 1 }
        while start < end, bytes[end - 1] <= 0x20 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Whether the bytes are the lower-case text, regardless of case.
    static func matches(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<bytes.count where Headers.lowered(bytes[index]) != text.utf8Start[index] { return false }
        return true
    }

    static func number(_ bytes: UnsafeRawBufferPointer, radix: Int) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 18 else { return nil }
        var value = 0
        for byte in bytes {
            let digit: Int
            switch Headers.lowered(byte) {
            case 0x30...0x39: digit = Int(byte) - 0x30
            case 0x61...0x66 where radix == 16: digit = Int(Headers.lowered(byte)) - 0x57
            default: return nil
            }
            let (product, overflow) = value.multipliedReportingOverflow(by: radix)
            guard !overflow, product <= .max - digit else { return nil }
            value = product + digit
        }
        return value
    }

    static func method(_ bytes: Slice<UnsafeRawBufferPointer>) -> HTTPMethod {
        if bytes.count == 3, bytes.elementsEqual("GET".utf8) { return .get }
        if bytes.count == 4, bytes.elementsEqual("POST".utf8) { return .post }
        return HTTPMethod(rawValue: String(decoding: bytes, as: UTF8.self))
    }
}
