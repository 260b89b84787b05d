/// The nesting of a position in a JSON text: arrays, objects and strings.
///
/// It finds the end of a value, nothing more: the scanner decides whether the value is valid JSON.
struct JsonNesting: Sendable {
    private(set) var depth = 0
    private(set) var isInString = false
    private var isEscaped = false

    /// Consumes bytes up to the first one outside every array, object and string that could end a value.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - start: The index to continue from.
    /// - Returns: The index of a comma, white space, closing bracket or brace outside, or the number of bytes.
    @inline(__always)
    mutating func pass(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var place = start
        while place < bytes.count {
            if isInString {
                place = passString(bytes, from: place)
                continue
            }
            switch bytes[place] {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return place }
                depth -= 1
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return place
    }

    /// Consumes a string including its closing quote.
    @inline(__always)
    private mutating func passString(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var place = start
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return place
            }
        }
        return place
    }
}
