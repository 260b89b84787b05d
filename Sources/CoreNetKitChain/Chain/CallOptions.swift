package import Dispatch

/// How a chain runs its calls: shared by all of them, made once.
package struct CallOptions: Sendable {
    /// How long a call may take.
    package enum Deadline: Sendable {
        /// 60 s; none for what is streamed, or goes to or comes from a file.
        case standard
        case limit(Duration)
        case none

        /// The limit of a call whose content is collected.
        package var limit: Duration? {
            switch self {
            case .standard: .seconds(60)
            case .limit(let limit): limit
            case .none: nil
            }
        }
    }

    package var clock = CallClock.continuous
    package var deadline = Deadline.standard
    package var priority: TaskPriority = .userInitiated
    package var queue: DispatchQueue = .main
    package var log: LogConfiguration?
    /// Kept apart from `log`, so that nodes can be left out before the sink is named.
    package var excluded: Set<NodeID> = []
    /// What is wrong with the order of the nodes.
    package var problem: String?

    package init() {}

    func context() -> RequestContext {
        var context = RequestContext(deadline: deadline.limit.map { clock.now + $0 }, clock: clock, log: record())
        if case .standard = deadline { context.hasStandardDeadline = true }
        return context
    }

    private func record() -> CallLog? {
        guard var log else { return nil }
        log.excluded.formUnion(excluded)
        return CallLog(log, clock: clock)
    }
}
