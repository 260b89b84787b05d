public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitRecovery
import CoreNetKitSystem

/// How several processes share one login: the store, its name, the sealing, and the handling of a lost refresh.
///
/// A single-use refresh token belongs to the whole fleet: the process that refreshes spends it for all. The first process
/// that needs a new token takes a lease, records in the store which token it is about to spend, sends the request, and
/// stores the whole credential, sealed, with the next number. The others wait and read it from the store. See
/// ``LostRefresh`` for what happens if that process dies before it stores the result.
public struct SharedCredentials: Sendable {
    /// What to do after a recorded refresh whose outcome is unknown.
    ///
    /// There is no default, because only the authorization server determines which is right. The same choice applies while
    /// the store is unavailable.
    public enum LostRefresh: Sendable, Hashable {
        /// Sends the same refresh token again: for servers whose refresh tokens work more than once, or that tolerate a
        /// repetition. While the store is unavailable, each process refreshes for itself.
        case spendAgain
        /// Ends the session in all processes: for servers that treat a reused refresh token as theft.
        /// While the store is unavailable nothing is refreshed, and calls whose token has expired fail with
        /// `tokenRefreshFailed`, as retryable.
        case endSession
    }

    let store: any SharedStore
    let name: String
    let sealing: any Sealing
    let afterLostRefresh: LostRefresh
    let lease: Duration
    let life: Duration
    let clock: CallClock
    let events: @Sendable (FleetEvent) -> Void
    let lossMonitor = DataLossMonitor()

    /// Shares logins in a store.
    ///
    /// - Parameters:
    ///   - store: The store that the processes share.
    ///   - name: Distinguishes this fleet's logins from others in the store, the same in each of its processes: a
    ///     service and an environment, such as `shop/production`; not empty.
    ///   - sealing: How credentials are sealed: ``SealingKeys``, or `.plain`, written out.
    ///   - afterLostRefresh: What to do when the outcome of a refresh is unknown.
    ///   - lease: How long one process may take for a refresh, above zero and below the refresher's `timeout`; after that,
    ///     other processes continue. The request is aborted at the end of the lease, and is not sent if more than half of the
    ///     lease has passed.
    ///   - life: How long a login without a renewal, or a logout, is remembered; longer than the lease.
    ///   - clock: The clock for leases and waits.
    ///   - events: Receives fallbacks, delays and lost refreshes; must return quickly.
    public init(
        _ store: any SharedStore,
        named name: String,
        sealing: some Sealing,
        afterLostRefresh: LostRefresh,
        lease: Duration = .seconds(10),
        life: Duration = .seconds(30 * 86_400),
        clock: CallClock = .continuous,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        (self.store, self.name, self.sealing, self.afterLostRefresh) = (store, name, sealing, afterLostRefresh)
        (self.lease, self.life, self.clock, self.events) = (lease.bounded, life.bounded, clock, events)
    }

    /// The problem with the settings, on one line; `nil` if there is none.
    func problem(timeout: Duration, user: String) -> String? {
        if name.isEmpty { return "shared credentials need a name, as in 'shop/production'" }
        if user.isEmpty { return "a shared token needs a user: name one" }
        if lease < .milliseconds(2) { return "the lease of \(lease) for shared credentials is below 2 ms" }
        if lease >= timeout {
            return "the lease of \(lease) for shared credentials is not below the timeout of \(timeout)"
        }
        if life <= lease { return "the life of \(life) of shared credentials is not above the lease of \(lease)" }
        return sealing.keyIDProblem
    }
}

struct CredentialCoding: Sendable {
    let encode: @Sendable (any TokenCredential) throws -> Data
    let decode: @Sendable (Data) throws -> any TokenCredential
}

extension CredentialCoding {
    init<Credential: TokenCredential & Codable>(_ type: Credential.Type) {
        self.init { credential in
            guard let own = credential as? Credential else { throw WrongCredential() }
            return try JSONEncoder().encode(own)
        } decode: {
            try JSONDecoder().decode(Credential.self, from: $0)
        }
    }

    static let tokens = CredentialCoding(
        encode: { try JSONEncoder().encode(StoredToken($0.accessToken)) },
        decode: { try JSONDecoder().decode(StoredToken.self, from: $0).token }
    )

    private struct StoredToken: Codable {
        let value: String
        let expires: Date?

        init(_ token: AccessToken) { (value, expires) = (token.value, token.expires) }

        var token: AccessToken { AccessToken(value, expires: expires) }
    }

    private struct WrongCredential: Error, CustomStringConvertible {
        var description: String { "the type of the credential is not that of the refresher" }
    }
}
