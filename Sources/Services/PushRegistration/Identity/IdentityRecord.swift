import CoreNetKit

/// The signed-in user, and the users whose registrations must still be undone.
struct IdentityRecord: PushRecord {
    struct PendingSignOut: Sendable, Equatable {
        let user: String
        /// Distinguishes this sign-out from the same user's earlier and later ones; 0 if an older version stored it.
        let revision: Int
        var notified: [String] = []

        func isSame(as other: Self) -> Bool { user == other.user && revision == other.revision }
    }

    private(set) var user: String?
    private(set) var pendingSignOuts: [PendingSignOut] = []

    init(stored: Json?, optOut: String?) {
        user = stored?["user"]?.string
        pendingSignOuts = (stored?["leaving"]?.array ?? []).compactMap { entry in
            entry["user"]?.string.map { user in
                let told = entry["told"]?.array?.compactMap(\.string) ?? []
                return PendingSignOut(user: user, revision: entry["revision"]?.int ?? 0, notified: told)
            }
        }
    }

    mutating func signIn(_ new: String) {
        guard user != new else { return }
        signOut()
        user = new
        pendingSignOuts.removeAll { $0.user == new }
    }

    mutating func signOut() {
        guard let user else { return }
        // Random, because a counter would have to be kept forever, and unneeded records are removed from the store.
        pendingSignOuts.append(PendingSignOut(user: user, revision: .random(in: 1...1 << 48)))
        self.user = nil
    }

    mutating func note(_ entry: PendingSignOut, _ member: String) {
        guard let index = pendingSignOuts.firstIndex(where: { $0.isSame(as: entry) }) else { return }
        pendingSignOuts[index].notified.append(member)
    }

    var json: Json {
        if user == nil, pendingSignOuts.isEmpty { return [:] }
        let entries = pendingSignOuts.map { entry -> Json in
            [
                "user": Json(entry.user), "revision": Json(entry.revision),
                "told": Json(entry.notified.map { Json($0) }),
            ]
        }
        return ["user": user.map { Json($0) } ?? .null, "leaving": Json(entries)]
    }

    var optOut: String? { nil }
    /// A user stays until all members have stored the sign-out.
    var pendingParts: [String] { pendingSignOuts.map(\.user) }
    func request(_ user: String) -> PendingSignOut? { pendingSignOuts.first { $0.user == user } }
    /// Removes a completed sign-out, but not a later one of a user who has signed in again meanwhile.
    mutating func confirm(_ request: PendingSignOut, _ reply: Void) {
        pendingSignOuts.removeAll { $0.isSame(as: request) }
    }
    mutating func fail(_ request: PendingSignOut, _ error: any Error) {}
    static func blocksOtherRequests(_ error: any Error) -> Bool { false }
    static func isRefusal(_ error: any Error) -> Bool { false }
    static func network(of error: any Error) -> NetworkError? { nil }
}
