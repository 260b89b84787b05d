/// A dictionary whose entries expire; expired ones are removed when the number of entries has doubled.
struct ExpiringDictionary<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let value: Value
        let end: Duration
    }

    private var entries: [SharedKey: Entry] = [:]
    private var sweepsAt = 1024

    var count: Int { entries.count }

    func find(_ key: SharedKey, at now: Duration) -> Value? {
        guard let entry = entries[key], now < entry.end else { return nil }
        return entry.value
    }

    mutating func put(_ value: Value, under key: SharedKey, until end: Duration, at now: Duration) {
        entries[key] = Entry(value: value, end: end)
        guard entries.count >= sweepsAt else { return }
        entries = entries.filter { now < $0.value.end }
        sweepsAt = max(1024, entries.count * 2)
    }

    mutating func remove(_ key: SharedKey) { entries[key] = nil }
}
