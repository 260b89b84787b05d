import CoreNetKitJson

/// Follows a JSON text from its top to the array at a path, and from the array's end to the end of the text.
struct JsonArraySearch: Sendable {
    private enum Expected { case nothing, name, colon, value }

    private let path: [String]
    /// How many objects of the path are open at the position; once one of them is closed, none is entered again.
    private var opened = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var expected = Expected.value
    /// The member name being read, quotes included.
    private var name: [UInt8]?
    private var isOnPath = true
    private var hasValue = false

    private(set) var isFound = false
    private(set) var isAtArray = false
    private(set) var isMismatch = false

    init(path: [String]) { self.path = path }

    /// Whether there was a value and every bracket is closed; surplus closing brackets do not matter.
    var isComplete: Bool { depth <= 0 && !isInString && hasValue }

    /// Leaves the array, after the caller has consumed its closing bracket.
    mutating func leaveArray() {
        isAtArray = false
        depth -= 1
        expected = .nothing
    }

    /// Consumes bytes up to and including the array's opening bracket; returns the index after it, or the number of bytes.
    mutating func pass(_ bytes: UnsafeRawBufferPointer, from start: Int, offset: Int64) -> Int {
        var place = start
        while place < bytes.count, !isMismatch {
            let byte = bytes[place]
            let isMark = offset + Int64(place - start) < 3 && (byte == 0xEF || byte == 0xBB || byte == 0xBF)
            place += 1
            if isInString {
                passInString(byte)
            } else if !ByteSearch.isSpace(byte), !isMark {
                hasValue = true
                passOutside(byte)
                if isAtArray { break }
            }
        }
        return place
    }

    private mutating func passInString(_ byte: UInt8) {
        name?.append(byte)
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            if let name {
                isOnPath = opened > 0 && Self.text(name) == path[opened - 1]
                expected = .colon
            }
            name = nil
        }
    }

    private mutating func passOutside(_ byte: UInt8) {
        if expected == .value, isOnPath, !isFound, depth == opened { return passValueOnPath(byte) }
        if expected == .value, depth == opened { expected = .nothing }
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            if expected == .name, depth == opened { name = [byte] }
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            // The first object of the path counts: a later one with the same name is not searched.
            if depth < opened { (opened, expected) = (.min, .nothing) }
        case UInt8(ascii: ":") where expected == .colon: expected = .value
        case UInt8(ascii: ",") where depth == opened && opened > 0: expected = .name
        default: break
        }
    }

    /// Handles the first byte of a value on the path.
    private mutating func passValueOnPath(_ byte: UInt8) {
        expected = .nothing
        let isEnd = opened == path.count
        switch byte {
        case UInt8(ascii: "[") where isEnd:
            (isFound, isAtArray) = (true, true)
            depth += 1
        case UInt8(ascii: "n") where isEnd: isFound = true
        case _ where isEnd: isMismatch = true
        case UInt8(ascii: "{"):
            depth += 1
            opened += 1
            expected = .name
        default: isMismatch = true
        }
    }

    private static func text(_ name: [UInt8]) -> String? {
        guard name.contains(UInt8(ascii: "\\")) else {
            return String(decoding: name.dropFirst().dropLast(), as: UTF8.self)
        }
        return (try? Json(parsing: String(decoding: name, as: UTF8.self)))?.string
    }
}
