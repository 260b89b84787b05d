import CoreNetKitHTTP
import CoreNetKitSystem

/// Joins the outcomes of two observers that emit on different threads, and passes them on one at a time.
final class ObserverJoin: Sendable {
    /// Combines two outcomes into one; `nil` waits for more.
    typealias Pair =
        @Sendable (ObserverOutcome, ObserverOutcome) -> ObserverOutcome?

    private enum Action: Sendable, QueueRemovable {
        case emit(ObserverOutcome, ending: Int)
        case fail(ObserverOutcome, from: ObjectIdentifier)
        case finish
        case cancel

        var removalKey: Int? { nil }
    }

    private struct State: Sendable {
        var first: ObserverOutcome?
        var second: ObserverOutcome?
        var actions = RemovalQueue<Action>()
        var isBusy = false
    }

    private let state = Locked(State())
    private let derived: ObserverCore
    private let failsFast: Bool
    private let pair: Pair

    /// Joins into `derived`; `failsFast` tells whether the failure of one side ends the result.
    init(derived: ObserverCore, failsFast: Bool, pair: @escaping Pair) {
        self.derived = derived
        self.failsFast = failsFast
        self.pair = pair
    }

    func receiveFirst(_ event: ObserverEvent, from source: ObjectIdentifier) -> Bool {
        receive(event, from: source) { $0.first = $1 }
    }

    func receiveSecond(_ event: ObserverEvent, from source: ObjectIdentifier) -> Bool {
        receive(event, from: source) { $0.second = $1 }
    }

    private func receive(
        _ event: ObserverEvent,
        from source: ObjectIdentifier,
        _ store: (inout State, ObserverOutcome) -> Void
    ) -> Bool {
        let isIdle = state.withLock { state in
            switch event {
            case .outcome(let outcome, let isLast):
                store(&state, outcome)
                if let action = action(after: outcome, isLast: isLast, from: source, in: state) {
                    state.actions.append(action)
                }
            case .finished: state.actions.append(.finish)
            case .canceled: state.actions.append(.cancel)
            }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isIdle { performActions() }
        if event.isEnd { derived.remove(source: source) }
        return true
    }

    private func action(
        after outcome: ObserverOutcome,
        isLast: Bool,
        from source: ObjectIdentifier,
        in state: State
    ) -> Action? {
        if failsFast, case .failure(let error) = outcome {
            return isLast ? .fail(.failure(error), from: source) : .emit(.failure(error), ending: 0)
        }
        if let first = state.first, let second = state.second, let joined = pair(first, second) {
            return .emit(joined, ending: isLast ? 1 : 0)
        }
        return isLast ? .finish : nil
    }

    private func performActions() {
        while let action = next() {
            switch action {
            case .emit(let outcome, let ending): derived.emit(outcome, ending: ending)
            case .fail(let outcome, let source): derived.fail(outcome, from: source)
            case .finish: derived.finish()
            case .cancel: derived.cancelFromSource()
            }
        }
    }

    private func next() -> Action? {
        state.withLock { state in
            let action = state.actions.popFirst()
            if action == nil { state.isBusy = false }
            return action
        }
    }
}

extension ObserverCore {
    /// Creates a core that joins this one and another one, both already running.
    func join(_ other: ObserverCore, failsFast: Bool, pair: @escaping ObserverJoin.Pair) -> ObserverCore {
        let derived = ObserverCore(executor: executor, isDerived: true)
        let (first, second) = (ObserverCore.newSubscription(), ObserverCore.newSubscription())
        derived.add(source: .core(self, first))
        derived.add(source: .core(other, second), emits: true)
        let join = ObserverJoin(derived: derived, failsFast: failsFast, pair: pair)
        let (firstID, secondID) = (ObjectIdentifier(self), ObjectIdentifier(other))
        relay(as: first) { join.receiveFirst($0, from: firstID) }
        other.relay(as: second) { join.receiveSecond($0, from: secondID) }
        return derived
    }
}
