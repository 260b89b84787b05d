import CoreNetKit

/// Who is signed in, and who is still to be unregistered.
struct IdentityRecord: PushRecord {
    struct Leaving: Sendable, Equatable {
        let user: String
        /// The members that have stored it.
        var told: [String] = []
    }

    private(set) var user: String?
    private(set) var leaving: [Leaving] = []

    init(stored: Json?) {
        user = stored?["user"]?.string
        leaving = (stored?["leaving"]?.array ?? []).compactMap { entry in
            entry["user"]?.string.map { Leaving(user: $0, told: entry["told"]?.array?.compactMap(\.string) ?? []) }
        }
    }

    mutating func signIn(_ new: String) {
        guard user != new else { return }
        signOut()
        user = new
        leaving.removeAll { $0.user == new }
    }

    mutating func signOut() {
        guard let user else { return }
        leaving.append(Leaving(user: user))
        self.user = nil
    }

    mutating func note(_ user: String, _ member: String) {
        guard let index = leaving.firstIndex(where: { $0.user == user }) else { return }
        leaving[index].told.append(member)
    }

    var json: Json {
        if user == nil, leaving.isEmpty { return [:] }
        let entries = leaving.map { entry -> Json in
            ["user": Json(entry.user), "told": Json(entry.told.map { Json($0) })]
        }
        return ["user": user.map { Json($0) } ?? .null, "leaving": Json(entries)]
    }

    var optOut: String? { nil }
    /// A user whose members have not all stored it yet stays.
    var openParts: [String] { leaving.map(\.user) }
    mutating func confirm(_ request: String, _ reply: Void) { leaving.removeAll { $0.user == request } }
    mutating func fail(_ request: String, _ error: any Error) {}
    static func isOutage(_ error: any Error) -> Bool { false }
    static func isRefusal(_ error: any Error) -> Bool { false }
    static func network(of error: any Error) -> NetworkError? { nil }
}
