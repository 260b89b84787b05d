import CoreNetKitEssentials
import CoreNetKitSharedStore

/// What a process has to store about a login, and could not store yet.
struct PendingRecord: Sendable {
    enum Change: Sendable {
        /// A login, or a logout where it is `nil`: over whatever is stored.
        case session(Data?)
        /// What a refresh brought: over what it was made of, and not over what came since.
        case renewal(Data, number: UInt64)
        /// Nothing was sent under this lease: its intention becomes what it was.
        case unsent(lease: UInt64)
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

    /// The record to store over what was found, `nil` where nothing is left to do.
    func record(over found: CredentialRecord?, number stored: UInt64, _ rules: LoginRules) -> CredentialRecord? {
        switch change {
        case .session(let credential?):
            CredentialRecord(.current, rules.next(over: stored), credential: credential)
        case .session(nil):
            CredentialRecord(.ended, rules.next(over: stored))
        case .renewal(let credential, let number):
            stored < number ? CredentialRecord(.current, number, credential: credential) : nil
        case .unsent(let lease):
            if let found, found.state == .intention, found.lease == lease {
                CredentialRecord(.current, found.number, credential: found.credential)
            } else {
                rules.missing(from: found, number: stored)
            }
        case .known:
            rules.missing(from: found, number: stored)
        }
    }
}
