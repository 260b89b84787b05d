import Dispatch

/// How a chain runs its calls: shared by all of them, made once.
struct CallOptions: Sendable {
    var clock = CallClock.continuous
    var deadline: Duration? = .seconds(60)
    var priority: TaskPriority = .userInitiated
    var queue: DispatchQueue = .main
    var log: LogConfiguration?
    /// Kept apart from `log`, so that nodes can be left out before the sink is named.
    var excluded: Set<NodeID> = []
    /// What is wrong with the order of the nodes.
    var problem: String?

    func context() -> RequestContext {
        RequestContext(deadline: deadline.map { clock.now + $0 }, log: record())
    }

    private func record() -> CallLog? {
        guard var log else { return nil }
        log.excluded.formUnion(excluded)
        return CallLog(log, clock: clock)
    }
}
