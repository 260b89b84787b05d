import CoreNetKitChain
package import CoreNetKitEssentials
package import CoreNetKitRecovery

/// What one process makes of what it finds about a shared login: the decisions, without a store, a clock or a task.
package struct LoginRules: Sendable {
    /// What to do.
    package enum Verdict: Sendable, Equatable {
        /// Somebody has renewed it: take that.
        case take
        /// Somebody has signed the user out.
        case ended
        /// It is this process's turn, if it gets the lease: to spend what is stored, or, where nothing newer is, what it has.
        case spend(stored: Bool)
        /// A refresh was begun, and nobody knows what came of it.
        case lost
        /// The store has forgotten what this process knows, perhaps an intention, too.
        case forgotten
    }

    /// The number of what this process has had last: nothing older is taken.
    package private(set) var known: UInt64 = 0
    /// Leases under which this process has certainly sent nothing.
    private var unsent: Set<UInt64> = []

    package init() {}

    /// A number that is larger than all that this process knows, and than what is stored.
    package func next(over stored: UInt64) -> UInt64 {
        let last = max(known, stored)
        return last == .max ? last : last + 1
    }

    /// This process has what is stored under a number.
    package mutating func learn(_ number: UInt64) { known = max(known, number) }

    /// It begins anew, with another user.
    package mutating func forget() { self = LoginRules() }

    /// An intention of this process's was not carried out.
    package mutating func noteUnsent(_ lease: UInt64) {
        if unsent.count >= 64 { unsent.removeAll() }
        unsent.insert(lease)
    }

    /// Whether an intention is known not to have been carried out.
    package func isUnsent(_ record: CredentialRecord) -> Bool {
        record.state == .intention && unsent.contains(record.lease)
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - record: What is stored.
    ///   - stored: Its credential's token.
    ///   - current: The token that this process has, and needs another for.
    ///   - now: The time of day.
    ///   - hasLease: Whether this process has the lease, so that nobody else is at it within a lease.
    /// - Returns: What to do.
    package func verdict(
        on record: CredentialRecord?,
        stored: AccessToken?,
        current: AccessToken?,
        now: Date,
        hasLease: Bool
    ) -> Verdict {
        guard let record, record.number >= known else {
            return known == 0 ? .spend(stored: false) : .forgotten
        }
        switch record.state {
        case .ended: return .ended
        case .intention:
            return isUnsent(record) || !hasLease ? .spend(stored: true) : .lost
        case .current:
            guard let stored else { return .spend(stored: false) }
            let isOver = stored.expires.map { $0 <= now } ?? false
            // Of the same number another one: a store that came back with what was overtaken since.
            if stored.value != current?.value, !isOver { return .take }
            return .spend(stored: true)
        }
    }
}
