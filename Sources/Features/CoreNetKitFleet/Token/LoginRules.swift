import CoreNetKitChain
package import CoreNetKitEssentials
package import CoreNetKitRecovery

/// The decisions that one process makes about a shared login, without a store, a clock or a task.
package struct LoginRules: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// Another process has renewed the credential: use it.
        case take
        /// Another process has signed the user out.
        case ended
        /// This process may refresh once it has the lease: with the stored credential, or with its own if none newer is stored.
        case spend(stored: Bool)
        /// A refresh was started, and its outcome is unknown.
        case lost
        /// The store has lost what this process knows, possibly an intention as well.
        case forgotten
    }

    /// The newest record that this process has read or written; a store that has lost it gets it back.
    package private(set) var last: CredentialRecord?
    /// The number of that record: older records are never used.
    package var known: UInt64 { last?.number ?? 0 }
    /// Leases under which this process has certainly sent nothing.
    private var unsent: Set<UInt64> = []

    package init() {}

    /// The next number: larger than the stored one and every number that this process knows.
    package func next(over stored: UInt64) -> UInt64 {
        let last = max(known, stored)
        return last == .max ? last : last + 1
    }

    package mutating func learn(_ record: CredentialRecord) {
        if record.number >= known { last = record }
    }

    package mutating func forget() { self = LoginRules() }

    /// Notes that no request was sent under a lease of this process.
    package mutating func noteUnsent(_ lease: UInt64) {
        if unsent.count >= 64 { unsent.removeAll() }
        unsent.insert(lease)
        if let last, last.state == .intention, last.lease == lease {
            self.last = CredentialRecord(.current, last.number, credential: last.credential)
        }
    }

    /// Whether nothing was sent under a lease; such a lease is not used again.
    package func isUnsent(lease: UInt64) -> Bool { unsent.contains(lease) }

    /// The record that the store has lost and needs again; `nil` if the store is up to date.
    ///
    /// At the same number, an end outranks an intention, and an intention outranks a credential: a process that did not see
    /// the intention may have restored the credential. The number is `nil` if nothing is stored or it is not a record.
    package func missing(from record: CredentialRecord?, number stored: UInt64?) -> CredentialRecord? {
        guard let last else { return nil }
        guard let stored else { return last }
        guard stored == last.number else { return stored < last.number ? last : nil }
        switch (last.state, record?.state) {
        case (.ended, .current), (.ended, .intention), (.intention, .current): return last
        default: return nil
        }
    }

    /// Decides what to do next, given the token of the stored record and the one that this process needs to replace; if
    /// it has the lease, no other process is refreshing.
    package func verdict(
        on record: CredentialRecord?,
        stored: AccessToken?,
        current: AccessToken?,
        now: Date,
        hasLease: Bool
    ) -> Verdict {
        guard let record else { return last == nil ? .spend(stored: false) : .forgotten }
        guard missing(from: record, number: record.number) == nil else { return .forgotten }
        switch record.state {
        case .ended: return .ended
        case .intention: return isUnsent(lease: record.lease) || !hasLease ? .spend(stored: true) : .lost
        case .current:
            guard let stored else { return .spend(stored: false) }
            let isOver = stored.expires.map { $0 <= now } ?? false
            // A different token at the same number: the store was restored from an older state.
            if stored.value != current?.value, !isOver { return .take }
            return .spend(stored: true)
        }
    }
}

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

    /// Notes why the record was not stored; returns whether automatic retries stop now: an unavailable store may return
    /// at any time, a record that is rejected as invalid stays invalid.
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
        case .known: return rules.missing(from: found, number: stored)
        }
    }
}
