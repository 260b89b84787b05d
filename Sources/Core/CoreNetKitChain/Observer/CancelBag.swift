import CoreNetKitSystem

/// A call that can be cancelled, whatever its model: for requests of different types in one list.
public protocol CancelableContext: Sendable {
    /// Cancels the work; a second call does nothing.
    @discardableResult
    func cancel() -> Self
}

/// Cancels its calls when it is released: for a screen whose calls should end with it.
///
/// A call leaves the bag as soon as its listeners were called, before its `defer`.
public final class CancelBag: Sendable {
    private let state = Locked((open: [Int: any CancelableContext](), next: 0))

    /// Creates an empty bag.
    public init() {}

    deinit { cancel() }

    /// Cancels everything that is in the bag now; calls that are added later are not cancelled.
    public func cancel() {
        let all = state.withLock { state in
            defer { state.open = [:] }
            return state.open
        }
        for (_, context) in all { context.cancel() }
    }

    /// Whether no call of the bag is still running.
    ///
    /// A call is in the bag from `store(in:)` until its last outcome was delivered. In the `defer` of a call, this shows
    /// whether another one is running, which matters when several calls share a loading indicator.
    public var isEmpty: Bool { state.withLock { $0.open.isEmpty } }

    package var count: Int { state.withLock { $0.open.count } }

    fileprivate func insert<Model>(_ observer: Observer<Model>) {
        let id = state.withLock { state in
            state.next += 1
            state.open[state.next] = observer
            return state.next
        }
        observer.core.subscribe(.bag, on: nil) { [weak self] _ in
            // Released outside the lock.
            _ = self?.state.withLock { $0.open.removeValue(forKey: id) }
        }
    }
}

extension Observer {
    /// Adds the call to a bag, which cancels it when the bag is released.
    @discardableResult
    public func store(in bag: CancelBag) -> Self {
        bag.insert(self)
        return self
    }
}
