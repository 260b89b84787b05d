import CoreNetKitEssentials
import CoreNetKitSharedStore

/// What a process has to store about a login, and could not store yet.
struct PendingRecord: Sendable {
    enum Change: Sendable {
        /// A login, or a logout where it is `nil`: over whatever is stored.
        case session(Data?)
        /// What a refresh brought: over what it was made of, and not over what came since.
        case renewal(Data, number: UInt64)
        /// Nothing was sent by an intention: it becomes what it was. Where it is not there it may still come, from a
        /// connection that was closed: what it would go over is written over, so that it comes to nothing.
        case unsent(CredentialRecord, over: UInt64)
        /// What this process knows, in case the store has lost it.
        case known

        /// What is to be stored when something earlier is still to be: `nil` where the earlier one stays.
        func following(_ earlier: Change?) -> Change? {
            switch (earlier, self) {
            // Each of them brings what is known as well.
            case (_?, .known): nil
            case (nil, _), (.known, _), (_, .session), (.unsent, _), (.renewal, .renewal): self
            // What was made of a login that the others do not know yet is what they have to know.
            case (.session(_?), .renewal(let credential, _)): .session(credential)
            case (.session, _), (.renewal, .unsent): nil
            }
        }
    }

    let change: Change
    /// Which one it is, so that a later one is not taken for it.
    let id: Int
    /// Since when the store has refused it, each time.
    private(set) var refusedSince: Duration?
    /// Whether it is tried again only when something is done with its login.
    private(set) var isGivenUp = false

    /// How long a store may refuse a record: meanwhile somebody may have given it memory, or the right to write.
    private static let longestRefusal = Duration.seconds(3600)

    init(change: Change, id: Int) { (self.change, self.id) = (change, id) }

    /// Notes why it was not stored.
    ///
    /// A store that is away may be back at any time. What it refuses because of the record itself it will refuse again.
    ///
    /// - Returns: Whether it is given up from now on.
    mutating func refuse(_ error: any Error, at now: Duration) -> Bool {
        guard !isGivenUp else { return false }
        let failure = error as? SharedStoreError
        if let failure, failure.isAway || failure.code == .cancelled {
            refusedSince = nil
            return false
        }
        let since = refusedSince ?? now
        refusedSince = since
        isGivenUp = failure?.code == .invalid || now - since >= Self.longestRefusal
        return isGivenUp
    }

    /// The record to store over what was found in that version, `nil` where nothing is left to do.
    func record(
        over found: CredentialRecord?,
        version: UInt64,
        number stored: UInt64?,
        _ rules: LoginRules,
        _ date: Date
    ) -> CredentialRecord? {
        switch change {
        case .session(let credential):
            // Larger than those of earlier sessions also where neither the store nor this process remembers them.
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
