/// The type of the current event, cached as text because most events of a stream have the same.
struct EventType: Sendable {
    private static let standard = "message"

    private var text = ""
    private var words: (UInt64, UInt64) = (0, 0)
    private var count = -1
    private var isSet = false

    /// Takes the value of a field `event`.
    mutating func set(_ value: UnsafeRawBufferPointer) {
        isSet = !value.isEmpty
        guard value.count <= 16 else {
            (text, count) = (String(decoding: value, as: UTF8.self), -1)
            return
        }
        var new: (UInt64, UInt64) = (0, 0)
        for byte in value.prefix(8) { new.0 = new.0 << 8 | UInt64(byte) }
        for byte in value.dropFirst(8) { new.1 = new.1 << 8 | UInt64(byte) }
        guard value.count != count || new != words else { return }
        (text, words, count) = (String(decoding: value, as: UTF8.self), new, value.count)
    }

    /// The type of the completed event; the next one starts without.
    mutating func take() -> String {
        defer { isSet = false }
        return isSet ? text : Self.standard
    }
}
