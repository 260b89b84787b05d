import CoreNetKitSystem

/// State that all registrars of one record share in a process: the queue of senders, and the results of the last requests.
final class PushLine: Sendable {
    struct Outcome {
        let revision: Int
        let time: Int
        let result: any Sendable
    }

    struct State {
        var outcomes: [AnyHashable: Outcome] = [:]
        var time = 0
        /// Changes that could not be stored at first; they are applied before anything else is read or changed.
        var late: [any Sendable] = []
        /// The delivery place of the call that sent last: the next result is delivered after it.
        var lastTold: TellingPlace?
    }

    /// A change that must neither be lost nor be applied after later ones.
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

    /// Puts the current call in the delivery order: its result follows those of calls that sent before it.
    func noteTurn() {
        guard let place = TellingPlace.current else { return }
        state.withLock { place.follow(&$0.lastTold) }
    }

    /// The shared state of a record, one instance for all concurrent users.
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
