import CoreNetKitEssentials
import CoreNetKitSharedStore

/// A change to a login that could not be stored yet.
struct PendingRecord: Sendable {
    enum Change: Sendable {
        /// A login, or a logout if it is `nil`; it overwrites any stored record.
        case session(Data?)
        /// The result of a refresh: it overwrites the credential that was spent, but nothing newer.
        case renewal(Data, number: UInt64)
        /// The request of an intention was not sent: the former state is restored. If the intention is not stored, a write on
        /// a closed connection may still arrive; the version it would overwrite is rewritten, so that it fails.
        case unsent(CredentialRecord, over: UInt64)
        /// The newest record that this process knows, in case the store has lost it.
        case known

        /// The change to store after an earlier pending one; `nil` if the earlier one stays.
        func following(_ earlier: Change?) -> Change? {
            switch (earlier, self) {
            // Every other change restores the known record as well.
            case (_?, .known): nil
            case (nil, _), (.known, _), (_, .session), (.unsent, _), (.renewal, .renewal): self
            // The pending login is unknown to the others, so its renewed credential is stored as the login.
            case (.session(_?), .renewal(let credential, _)): .session(credential)
            case (.session, _), (.renewal, .unsent): nil
            }
        }
    }

    let change: Change
    /// Identifies this pending record, so that a later one is not mistaken for it.
    let id: Int
    /// When the uninterrupted series of refusals by the store began.
    private(set) var refusedSince: Duration?
    /// Whether automatic retries have stopped; the next operation on the login tries again.
    private(set) var isGivenUp = false

    /// How long a store may refuse a record; an operator may free memory or grant the right to write in this time.
    private static let longestRefusal = Duration.seconds(3600)

    init(change: Change, id: Int) { (self.change, self.id) = (change, id) }

    /// Notes why the record was not stored.
    ///
    /// An unavailable store may return at any time. A record that the store rejects as invalid stays invalid.
    ///
    /// - Returns: Whether automatic retries stop now.
    mutating func refuse(_ error: any Error, at now: Duration) -> Bool {
        guard !isGivenUp else { return false }
        let failure = error as? SharedStoreError
        if let failure, failure.isUnavailable || failure.code == .cancelled {
            refusedSince = nil
            return false
        }
        let since = refusedSince ?? now
        refusedSince = since
        isGivenUp = failure?.code == .invalid || now - since >= Self.longestRefusal
        return isGivenUp
    }

    /// The record to write over the found one; `nil` if nothing is left to do.
    func record(
        over found: CredentialRecord?,
        version: UInt64,
        number stored: UInt64?,
        _ rules: LoginRules,
        _ date: Date
    ) -> CredentialRecord? {
        switch change {
        case .session(let credential):
            // The time keeps the number above those of earlier sessions, even if neither store nor process remembers them.
            let moment = UInt64(max(0, min(date.timeIntervalSince1970 * 1_000_000, 1e18)))
            let number = max(rules.next(over: stored ?? 0), moment)
            return CredentialRecord(credential == nil ? .ended : .current, number, credential: credential ?? Data())
        case .renewal(let credential, let number):
            return stored ?? 0 < number ? CredentialRecord(.current, number, credential: credential) : nil
        case .unsent(let intention, let over):
            let isThere = found?.state == .intention && found?.lease == intention.lease
            if !isThere, let missing = rules.missing(from: found, number: stored) { return missing }
            guard isThere || version == over else { return nil }
            return CredentialRecord(.current, intention.number, credential: intention.credential)
        case .known:
            return rules.missing(from: found, number: stored)
        }
    }
}
