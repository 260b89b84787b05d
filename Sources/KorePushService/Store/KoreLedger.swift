#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the user wants of this device, and what the server has not heard of yet.
struct KoreRecord: Codable, Sendable, Equatable {
    /// The token that is to be subscribed.
    private(set) var token: String?
    /// Whether the server has said yes to it.
    private(set) var isSubscribed = false
    /// Tokens that are to be unsubscribed.
    private(set) var leaving: [String] = []

    mutating func want(_ hex: String) {
        if let token, token != hex { leave(token) }
        leaving.removeAll { $0 == hex }
        token = hex
        isSubscribed = false
    }

    mutating func leave(_ hex: String) {
        if token == hex { forget(hex) }
        if !leaving.contains(hex) { leaving.append(hex) }
    }

    mutating func leaveAll() {
        if let token { leave(token) }
    }

    mutating func confirm(_ hex: String) {
        if token == hex { isSubscribed = true }
    }

    /// The server will never accept it, or has let it go.
    mutating func forget(_ hex: String) {
        leaving.removeAll { $0 == hex }
        guard token == hex else { return }
        token = nil
        isSubscribed = false
    }

    mutating func left(_ hex: String) { leaving.removeAll { $0 == hex } }
}

/// The record of one user on one server, in the app's secure store; one change at a time.
final class KoreLedger: Sendable {
    private let store: any KoreSecureStore
    private let key: String
    private let line = KoreLine()

    init(store: any KoreSecureStore, key: String) {
        self.store = store
        self.key = key
    }

    /// Changes the record; it is stored when the task ends.
    @discardableResult
    func edit(_ change: @escaping @Sendable (inout KoreRecord) -> Void) -> Task<KoreRecord, any Error> {
        line.run { [store, key] in
            do {
                // A record that cannot be read is from another version: the next registration makes a new one.
                let stored = try await store.data(for: key)
                let old = stored.flatMap { try? JSONDecoder().decode(KoreRecord.self, from: $0) } ?? KoreRecord()
                var record = old
                change(&record)
                guard record != old else { return record }
                try await store.set(record == KoreRecord() ? nil : JSONEncoder().encode(record), for: key)
                return record
            } catch {
                throw KorePushError(.storeFailed, "the secure store failed", cause: error)
            }
        }
    }

    func record() async throws -> KoreRecord { try await edit { _ in }.value }
}
