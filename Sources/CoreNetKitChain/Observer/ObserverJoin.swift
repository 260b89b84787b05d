import CoreNetKitHTTP
import CoreNetKitSystem

/// Joins the outcomes of two observers that speak from different threads, and passes them on one at a time.
final class ObserverJoin: Sendable {
    /// Makes one outcome of two; `nil` waits for more.
    typealias Pair =
        @Sendable (Outcome, Outcome) -> Outcome?

    private enum Action: Sendable {
        case emit(Outcome, ending: Int)
        case finish
        case cancel
    }

    private struct State: Sendable {
        var first: Outcome?
        var second: Outcome?
        var actions = ShortQueue<Action>()
        var isBusy = false
    }

    private let state = Locked(State())
    private let derived: ObserverCore
    private let failsFast: Bool
    private let pair: Pair

    /// Joins into `derived`; `failsFast` says whether the failure of one side ends the whole.
    init(derived: ObserverCore, failsFast: Bool, pair: @escaping Pair) {
        self.derived = derived
        self.failsFast = failsFast
        self.pair = pair
    }

    func tellFirst(_ event: ObserverEvent) -> Bool {
        tell(event) { $0.first = $1 }
    }

    func tellSecond(_ event: ObserverEvent) -> Bool {
        tell(event) { $0.second = $1 }
    }

    private func tell(_ event: ObserverEvent, _ store: (inout State, Outcome) -> Void) -> Bool {
        let isIdle = state.withLock { state in
            switch event {
            case .outcome(let outcome, let isLast):
                store(&state, outcome)
                if let action = action(after: outcome, isLast: isLast, in: state) { state.actions.append(action) }
            case .finished: state.actions.append(.finish)
            case .canceled: state.actions.append(.cancel)
            }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isIdle { act() }
        return true
    }

    private func action(after outcome: Outcome, isLast: Bool, in state: State) -> Action? {
        if failsFast, case .failure(let error) = outcome {
            return .emit(.failure(error), ending: isLast ? .max : 0)
        }
        if let first = state.first, let second = state.second, let joined = pair(first, second) {
            return .emit(joined, ending: isLast ? 1 : 0)
        }
        return isLast ? .finish : nil
    }

    private func act() {
        while let action = next() {
            switch action {
            case .emit(let outcome, let ending): derived.emit(outcome, ending: ending)
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
    /// Makes a core of this one and another one, both of which run already.
    func join(_ other: ObserverCore, failsFast: Bool, pair: @escaping ObserverJoin.Pair) -> ObserverCore {
        let derived = ObserverCore(executor: executor)
        derived.add(source: .core(self))
        derived.add(source: .core(other), emits: true)
        let join = ObserverJoin(derived: derived, failsFast: failsFast, pair: pair)
        relay(join.tellFirst)
        other.relay(join.tellSecond)
        return derived
    }
}
