package import CoreNetKit

/// Reads and writes a record under two keys: the record, and its opt-out of notifications.
package struct RecordStore<Record: PushRecord>: Sendable {
    package let store: any KeyValueStore
    package let key: String
    private let read: @Sendable (_ stored: Json?, _ optOut: String?) -> Record

    package init(
        store: any KeyValueStore,
        key: String,
        read: @escaping @Sendable (_ stored: Json?, _ optOut: String?) -> Record
    ) {
        self.store = store
        self.key = key
        self.read = read
    }

    private var optOutKey: String { key + ".optOut" }

    package func load(_ store: any KeyValueStore) throws -> Record {
        read(try stored(store), try store.string(for: optOutKey))
    }

    /// Writes a record.
    ///
    /// The opt-out is written first and removed last: if the process ends in between, it is kept rather than lost.
    package func save(_ record: Record, _ store: any KeyValueStore) throws {
        let before = try store.string(for: optOutKey)
        if let optOut = record.optOut, optOut != before { try store.set(optOut, for: optOutKey) }
        let json = record.json
        if json.members.isEmpty {
            try store.set(nil, for: key)
        } else {
            // Unknown members belong to a newer version, and stay.
            var whole = try stored(store) ?? [:]
            for (name, value) in json.members { whole[name] = value.isNull ? Json?.none : value }
            try store.set(whole.text(sortedKeys: true), for: key)
        }
        if record.optOut == nil, before != nil { try store.set(nil, for: optOutKey) }
    }

    private func stored(_ store: any KeyValueStore) throws -> Json? {
        let json = try store.string(for: key).flatMap { try? Json(parsing: $0) }
        return json?.object == nil ? nil : json
    }
}
