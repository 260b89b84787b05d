/// Decodes queries, forms and path segments: `%XX`, and `+` where it is a space.
enum FormText {
    static func items(_ text: String) -> [MockRequest.Item] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? decode(parts[1], plusIsSpace: true) : ""
            return MockRequest.Item(decode(parts[0], plusIsSpace: true), value)
        }
    }

    static func segment(_ text: Substring) -> String { decode(text.utf8, plusIsSpace: false) }

    private static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> String {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = hex(rest.prefix(2)) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hex(_ digits: some Collection<UInt8>) -> UInt8? {
        guard digits.count == 2, !digits.contains(UInt8(ascii: "+")) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
