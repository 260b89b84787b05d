/// Decodes queries and forms: `%XX` and `+`.
enum FormItems {
    static func parse(_ text: some StringProtocol) -> [LoopbackRequest.Item] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return LoopbackRequest.Item(decode(parts[0]), parts.count > 1 ? decode(parts[1]) : "")
        }
    }

    private static func decode(_ text: some Collection<UInt8>) -> String {
        var bytes: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            text.formIndex(after: &index)
            if byte == UInt8(ascii: "%"), let value = hex(text[index...].prefix(2)) {
                bytes.append(value)
                text.formIndex(&index, offsetBy: 2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hex(_ digits: some Collection<UInt8>) -> UInt8? {
        guard digits.count == 2, !digits.contains(UInt8(ascii: "+")) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
