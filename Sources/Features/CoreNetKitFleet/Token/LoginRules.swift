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

    /// The newest record that this process has read or written: a store that comes back without it is told again.
    package private(set) var last: CredentialRecord?
    /// The number of that record: nothing older is taken.
    package var known: UInt64 { last?.number ?? 0 }
    /// Leases under which this process has certainly sent nothing.
    private var unsent: Set<UInt64> = []

    package init() {}

    /// A number that is larger than all that this process knows, and than what is stored.
    package func next(over stored: UInt64) -> UInt64 {
        let last = max(known, stored)
        return last == .max ? last : last + 1
    }

    /// This process has read a record, or has written it.
    package mutating func learn(_ record: CredentialRecord) {
        if record.number >= known { last = record }
    }

    /// It begins anew, with another user.
    package mutating func forget() { self = LoginRules() }

    /// An intention of this process's was not carried out.
    package mutating func noteUnsent(_ lease: UInt64) {
        if unsent.count >= 64 { unsent.removeAll() }
        unsent.insert(lease)
        if let last, last.state == .intention, last.lease == lease {
            self.last = CredentialRecord(.current, last.number, credential: last.credential)
        }
    }

    /// Whether this process has said of a lease that nothing was sent under it: it is not used again.
    package func isUnsent(lease: UInt64) -> Bool { unsent.contains(lease) }

    /// Whether an intention is known not to have been carried out.
    package func isUnsent(_ record: CredentialRecord) -> Bool {
        record.state == .intention && unsent.contains(record.lease)
    }

    /// What this process has to tell a store that has lost it; `nil` if the store knows as much.
    ///
    /// Of the same number an end counts more than an intention, and that more than a credential: a process that did not
    /// see the intention may have told the store what it was made of.
    ///
    /// - Parameters:
    ///   - record: What is stored, where it can be opened.
    ///   - stored: Its number; `nil` where nothing is stored, or no record: the first of all has number 0.
    /// - Returns: The record to store.
    package func missing(from record: CredentialRecord?, number stored: UInt64?) -> CredentialRecord? {
        guard let last else { return nil }
        guard let stored else { return last }
        guard stored == last.number else { return stored < last.number ? last : nil }
        switch (last.state, record?.state) {
        case (.ended, .current), (.ended, .intention), (.intention, .current): return last
        default: return nil
        }
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
        guard let record else { return last == nil ? .spend(stored: false) : .forgotten }
        guard missing(from: record, number: record.number) == nil else { return .forgotten }
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
