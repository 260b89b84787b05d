#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKit

/// Reads and writes the registration of one project, and the player id where the original keeps it.
///
/// The record of the project is what counts. The original's key is shared by all projects, so the ids that we wrote
/// there are remembered: any other one was written by the original, and is newer.
struct RegistrationStore: Sendable {
    /// Where the original keeps the player id, as plain text.
    static let originalKey = "IDPush_PreviousPlayerID"
    /// The player ids that we wrote there, one a line, the last one behind the others.
    static let ownIDsKey = "IDPush_PreviousPlayerID.own"

    let store: any KeyValueStore
    let recordKey: String

    init(store: any KeyValueStore, projectID: String) {
        self.store = store
        recordKey = "IDPush_Registration.v1.\(projectID)"
    }

    /// Reads the registration; a record that cannot be understood counts as none.
    func load() throws(IDPushError) -> Registration {
        try attempt {
            let text = try store.string(for: recordKey)
            let record = text.flatMap { try? Json(parsing: $0).decode(Registration.self) }
            var registration = record ?? Registration(seed: UUID().uuidString)
            let original = try Self.original(in: store)
            let ownIDs = try ownIDs()
            if let original, original != registration.playerID, !ownIDs.contains(original) {
                let before = registration
                registration.adopt(original)
                registration.count(changesSince: before)
                // Kept at once, so that no other project takes the id for its own.
                try save(registration, previous: record)
            } else if let id = registration.playerID, id != original, ownIDs.last == id || !ownIDs.contains(id) {
                // The process ended between the record and the original's key.
                try share(id)
            }
            return registration
        }
    }

    /// Writes the registration, then the player id for the original.
    func save(_ registration: Registration, previous: Registration?) throws(IDPushError) {
        try attempt {
            try store.set(Json(encoding: registration).text(), for: recordKey)
            guard registration.playerID != previous?.playerID else { return }
            if let id = registration.playerID {
                try share(id)
            } else if try Self.original(in: store) == previous?.playerID {
                try store.set(nil, for: Self.originalKey)
            }
        }
    }

    /// The player id where the original keeps it; a blank one is none.
    static func original(in store: any KeyValueStore) throws -> String? {
        let id = try store.string(for: originalKey)?.trimmed ?? ""
        return id.isEmpty ? nil : id
    }

    /// Writes a player id for the original; remembered as ours before, never taken for the original's.
    private func share(_ id: String) throws {
        let ids = try ownIDs().filter { $0 != id } + [id]
        try store.set(ids.joined(separator: "\n"), for: Self.ownIDsKey)
        try store.set(id, for: Self.originalKey)
    }

    private func ownIDs() throws -> [String] {
        try store.string(for: Self.ownIDsKey)?.split(separator: "\n").map { String($0) } ?? []
    }

    private func attempt<Result>(_ step: () throws -> Result) throws(IDPushError) -> Result {
        do {
            return try step()
        } catch {
            throw error as? IDPushError ?? .storageFailed("\(error)")
        }
    }
}
