public import CoreNetKit
import CoreNetKitOutbox
import CoreNetKitSystem

extension AlarmList {
    static var closedError: AlarmError { AlarmError(.closed, "the list was closed") }

    struct Operation: Sendable {
        let action: AlarmAction
        let context: Context<AlarmActionResult>
        let task: Task<Void, Never>
        var receipt: OutboxReceipt?
    }

    typealias PageLoad = (id: Int, before: Int?, context: Context<AlarmSnapshot>, task: Task<Void, Never>)

    struct State: Sendable {
        var list = AlarmListState()
        var filter = AlarmFilter.all
        var page: PageLoad?
        var operations: [Int: Operation] = [:]
        /// The last action in the queue; the next one waits for it.
        var last: Task<Void, Never>?
        var bindings: [Int: Context<AlarmSnapshot>] = [:]
        var shown = AlarmSnapshot()
        var isClosed = false
        var isRestored = false
        var lastID = 0

        /// A pending operation with the same effect as an action would have now.
        func operation(like action: AlarmAction) -> Operation? {
            let change = list.change(by: action)
            return operations.first { $0.value.action == action && list.change(of: $0.key) == change }?.value
        }

        mutating func makeID() -> Int {
            lastID += 1
            return lastID
        }
    }

    /// Notifies bindings and streams, under the lock so that they see changes in order.
    func publish(_ state: inout State, isLoadEnd: Bool = false) {
        var snapshot = state.list.snapshot
        snapshot.filter = state.filter
        snapshot.isRefreshing = state.page.map { $0.before == nil } ?? false
        snapshot.isLoadingMore = state.page.map { $0.before != nil } ?? false
        guard snapshot != state.shown else { return }
        var quiet = snapshot
        (quiet.isRefreshing, quiet.isLoadingMore) = (state.shown.isRefreshing, state.shown.isLoadingMore)
        let isContent = snapshot.isLoaded && (isLoadEnd || quiet != state.shown)
        state.shown = snapshot
        feed.set(snapshot)
        if isContent { for binding in state.bindings.values { binding.emit(data: snapshot) } }
    }

    /// Calls a closure with the content of the list: now if a page is loaded, after each load, and after each change.
    ///
    /// The calls are in order; the start of a load is not reported.
    ///
    /// - Parameter listener: Called on its own actor, otherwise on the main queue. It is retained as long as the list is.
    /// - Returns: An observer whose `cancel()` ends it.
    @discardableResult
    public func bind(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (AlarmSnapshot) -> Void
    ) -> Observer<AlarmSnapshot> {
        let context = state.withLock { state -> Context<AlarmSnapshot> in
            let id = state.makeID()
            let context = Context<AlarmSnapshot> { [weak self] in self?.unbind(id) }
            if !state.isClosed { state.bindings[id] = context }
            if state.shown.isLoaded { context.emit(data: state.shown) }
            return context
        }
        return context.onCompleted(listener)
    }

    /// The content of the list: now, and after each change, including the start of a load; a slow reader gets only the latest.
    public var snapshots: AsyncStream<AlarmSnapshot> {
        // The feed of a closed list has ended, and keeps the value that it had then.
        state.withLock { $0.isClosed ? StateFeed($0.shown) : feed }.values
    }

    private func unbind(_ id: Int) {
        // Released outside the lock, because its release may call back.
        let removed = state.withLock { $0.bindings.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}
