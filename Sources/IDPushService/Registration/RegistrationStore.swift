#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKit

/// Reads and writes the registration of one project, and the player id where the original keeps it.
struct RegistrationStore: Sendable {
    /// Where the original keeps the player id, as plain text.
    static let originalKey = "IDPush_PreviousPlayerID"
    /// Which player ids we wrote there ourselves: any other one is the original's, and newer.
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
            let record = try store.string(for: recordKey).flatMap { text in
                try? Json(parsing: text).decode(Registration.self)
            }
            var registration = record ?? Registration(seed: UUID().uuidString)
            let original = try store.string(for: Self.originalKey)?.trimmed ?? ""
            guard !original.isEmpty, original != registration.playerID, try !ownIDs().contains(original) else {
                return registration
            }
            // The original registered the device. Kept at once, so that no other project takes the id for its own.
            registration.adopt(original)
            try save(registration, previous: nil)
            return registration
        }
    }

    /// Writes the registration first, since it is what counts, then the player id for the original.
    func save(_ registration: Registration, previous: Registration?) throws(IDPushError) {
        try attempt {
            try store.set(Json(encoding: registration).text(), for: recordKey)
            guard registration.playerID != previous?.playerID else { return }
            // The id that stands there and the new one: between the two writes both must count as ours.
            let standing = try store.string(for: Self.originalKey)
            try store.set(
                [standing, registration.playerID].compactMap(\.self).joined(separator: "\n"),
                for: Self.ownIDsKey
            )
            if registration.playerID != nil || standing == previous?.playerID {
                try store.set(registration.playerID, for: Self.originalKey)
            }
        }
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
