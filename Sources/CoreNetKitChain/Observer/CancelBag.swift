import CoreNetKitHTTP
import CoreNetKitSystem

/// Cancels what was put into it when it goes away: kept by a screen, it ends the screen's calls.
///
/// A call that has ended is forgotten as soon as its listeners were called, before its `defer`.
public final class CancelBag: Sendable {
    private struct State: Sendable {
        var open: [Int: any CancelableContext] = [:]
        var next = 0
    }

    private let state = Locked(State())

    /// Creates an empty bag.
    public init() {}

    deinit {
        cancel()
    }

    /// Cancels everything that is in the bag now; what is put into it later is not.
    public func cancel() {
        let all = state.withLock { state in
            defer { state.open = [:] }
            return state.open
        }
        for (_, context) in all { context.cancel() }
    }

    /// Whether no call of the bag can still end.
    ///
    /// A call is in the bag from `store(in:)` on until its last outcome was delivered: in the `defer` of a call it tells whether
    /// another one runs, as a loader wants to know that several calls share.
    public var isEmpty: Bool { state.withLock { $0.open.isEmpty } }

    /// How many calls are in the bag that can still end.
    package var count: Int { state.withLock { $0.open.count } }

    fileprivate func insert<Model>(_ observer: Observer<Model>) {
        let id = state.withLock { state in
            state.next += 1
            state.open[state.next] = observer
            return state.next
        }
        observer.core.subscribe(.bag, on: nil) { [weak self] _ in
            // Released outside of the lock.
            _ = self?.state.withLock { $0.open.removeValue(forKey: id) }
        }
    }
}

extension Observer {
    /// Puts the call into a bag, which cancels it when it goes away.
    ///
    /// - Parameter bag: Who cancels.
    /// - Returns: The receiver.
    @discardableResult
    public func store(in bag: CancelBag) -> Self {
        bag.insert(self)
        return self
    }
}
