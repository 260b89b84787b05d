/// Who was signed in when, who has gone, and what broke a rule.
package final class VisitRecord: Sendable {
    /// What has happened; a schedule in which nothing does proves nothing.
    package struct Counts: Sendable {
        package var responses = 0, ended = 0, shared = 0, stored = 0, renewals = 0, sent = 0

        package init() {}

        package mutating func add(_ other: Counts) {
            responses += other.responses
            ended += other.ended
            shared += other.shared
            stored += other.stored
            renewals += other.renewals
            sent += other.sent
        }
    }

    /// The last login of each user whose things have gone.
    package struct Gone: Sendable {
        package var responses: [String: Int] = [:]
        package var cookies: [String: Int] = [:]
    }

    private struct State: Sendable {
        var visits: [Partition.Session: Visit] = [:]
        var gone = Gone()
        /// What had gone when a login began.
        var before: [Int: Gone] = [:]
        /// Logins that have signed out to the end.
        var closed: Set<Int> = []
        var renewals: [Int: Int] = [:]
        var lastNumber = 0
        var problems: [String] = []
        var counts = Counts()
    }

    private let state = Locked(State())

    package init() {}

    package var problems: [String] { state.withLock { $0.problems } }
    package var counts: Counts { state.withLock { $0.counts } }
    package var gone: Gone { state.withLock { $0.gone } }

    package func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }
    package func problem(_ text: String) { state.withLock { $0.problems.append(text) } }

    /// A new login; what has gone until now is not to come back to it.
    package func begin(_ user: String?) -> Visit {
        state.withLock { state in
            state.lastNumber += 1
            state.before[state.lastNumber] = state.gone
            return Visit(user, state.lastNumber)
        }
    }

    package func register(_ visit: Visit, as session: Partition.Session) {
        state.withLock { state in
            if let known = state.visits[session], known != visit {
                state.problems.append("\(visit.text) has the session of \(known.text)")
            }
            state.visits[session] = visit
        }
    }

    package func knows(_ session: Partition.Session) -> Bool { state.withLock { $0.visits[session] != nil } }

    /// The login of a session, as soon as the schedule has said which it is.
    package func visit(of session: Partition.Session) async -> Visit {
        while true {
            if let known = state.withLock({ $0.visits[session] }) { return known }
            await Task.yield()
        }
    }

    package func close(_ visit: Visit, keeping kinds: Set<SignOut.Kind>) {
        state.withLock { state in
            state.closed.insert(visit.number)
            if !kinds.contains(.responses) {
                state.gone.responses[visit.user] = max(visit.number, state.gone.responses[visit.user] ?? 0)
            }
            if !kinds.contains(.cookies) {
                state.gone.cookies[visit.user] = max(visit.number, state.gone.cookies[visit.user] ?? 0)
            }
        }
    }

    package func isClosed(_ visit: Visit) -> Bool { state.withLock { $0.closed.contains(visit.number) } }

    /// Whether what one login left may be seen by another one.
    package func mayBeSeen(_ old: Visit, by new: Visit, _ gone: KeyPath<Gone, [String: Int]>) -> Bool {
        guard old.user == new.user else { return false }
        guard old.isNamed else { return old == new }
        let last = state.withLock { $0.before[new.number]?[keyPath: gone][new.user] } ?? 0
        return old.number > last
    }

    package func renewal(of visit: Visit) -> Int { state.withLock { $0.renewals[visit.number] ?? 0 } }

    /// The credential that works now.
    package func credential(of visit: Visit) -> VisitCredential {
        VisitCredential(visit: visit, renewal: renewal(of: visit))
    }

    package func renew(_ visit: Visit) -> VisitCredential {
        state.withLock { $0.counts.renewals += 1 }
        return credential(of: visit)
    }

    package func expire(_ visit: Visit) { state.withLock { $0.renewals[visit.number, default: 0] += 1 } }
}
