import CoreNetKit
import CoreNetKitOutbox

extension AlarmList {
    static var closed: AlarmError { AlarmError(.closed, "the list was closed") }

    struct Operation: Sendable {
        let action: AlarmAction
        let context: Context<AlarmActionResult>
        let task: Task<Void, Never>
        /// The entry in the outbox, once there is one.
        var receipt: OutboxReceipt?
    }

    struct PageLoad: Sendable {
        let id: Int
        let before: Int?
        let context: Context<AlarmSnapshot>
        let task: Task<Void, Never>
    }

    enum Subscriber: Sendable {
        case observer(Context<AlarmSnapshot>)
        case stream(AsyncStream<AlarmSnapshot>.Continuation)
    }

    struct State: Sendable {
        var list = AlarmListState()
        var filter = AlarmFilter.all
        var page: PageLoad?
        var operations: [Int: Operation] = [:]
        /// The last action in the queue; the next one waits for it.
        var last: Task<Void, Never>?
        var subscribers: [Int: Subscriber] = [:]
        var shown = AlarmSnapshot()
        var isClosed = false
        /// Whether the pending actions in the outbox have been restored.
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

    /// Notifies the subscribers, under the lock so that they see changes in order.
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
        for subscriber in state.subscribers.values {
            switch subscriber {
            case .observer(let context): if isContent { context.emit(data: snapshot) }
            case .stream(let continuation): continuation.yield(snapshot)
            }
        }
    }
}
