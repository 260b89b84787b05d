import CoreNetKitSystem

/// What all of a process's registrars of one record share: whose turn it is, and the results of the last requests.
final class PushLine: Sendable {
    struct Outcome {
        let revision: Int
        let time: Int
        let result: any Sendable
    }

    struct State {
        var outcomes: [AnyHashable: Outcome] = [:]
        var time = 0
        /// Changes that the store could not keep at first: made before anything else is read or changed.
        var late: [any Sendable] = []
        /// The call that had a turn last: who comes next is told after it.
        var lastTold: TellingPlace?
    }

    /// A change that must be neither lost nor made after later ones.
    struct Late<Record>: Sendable {
        let change: @Sendable (inout Record) -> Void
    }

    private struct Weak: @unchecked Sendable {
        // Accessed only under the lock of `lines`.
        weak var line: PushLine?
    }

    private static let lines = Locked<[String: Weak]>([:])

    let queue = SerialQueue()
    let state = Locked(State())

    /// The call of this task has a turn: its result is told after those of the calls that had theirs before.
    func noteTurn() {
        guard let place = TellingPlace.current else { return }
        state.withLock { place.follow(&$0.lastTold) }
    }

    /// A record's line, the same for everyone who uses it at the same time.
    static func shared(for name: String) -> PushLine {
        lines.withLock { lines in
            if let line = lines[name]?.line { return line }
            let line = PushLine()
            lines = lines.filter { $0.value.line != nil }
            lines[name] = Weak(line: line)
            return line
        }
    }
}
