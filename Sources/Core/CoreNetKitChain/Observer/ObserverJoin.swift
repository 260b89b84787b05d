import CoreNetKitSystem

extension Observer {
    /// Pairs the models of two calls that run at the same time.
    ///
    /// The first error is the outcome; the other call continues with its result ignored until it is cancelled.
    /// Cancelling any of them cancels all.
    public func combine<T: Sendable>(_ other: Observer<T>) -> Observer<(Model, T)> {
        core.join(other.core, failsFast: true) { first, second in
            if case .success(let first) = first, case .success(let second) = second {
                .success(of: (ModelBox<Model>.model(of: first), ModelBox<T>.model(of: second)))
            } else {
                nil
            }
        }
    }

    /// Pairs the models of two calls that run at the same time, with `nil` for one that fails.
    ///
    /// When both fail, the outcome is the error of `other`. Cancelling any of them cancels all.
    public func combineTolerance<T: Sendable>(_ other: Observer<T>) -> Observer<(Model?, T?)> {
        core.join(other.core, failsFast: false) { first, second in
            if case .failure = first, case .failure(let error) = second { return .failure(error) }
            return .success(of: (try? first.get(Model.self), try? second.get(T.self)))
        }
    }
}

/// Joins the outcomes of two observers that emit on different threads, and passes them on one at a time.
final class ObserverJoin: Sendable {
    /// Combines two outcomes into one; `nil` waits for more.
    typealias Pair = @Sendable (ObserverOutcome, ObserverOutcome) -> ObserverOutcome?

    fileprivate enum Action: Sendable, QueueRemovable {
        case emit(ObserverOutcome, ending: Int)
        case fail(ObserverOutcome, from: Int)
        case finish
        case cancel

        var removalKey: Int? { nil }
    }

    fileprivate struct State: Sendable {
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

    fileprivate func receive(
        _ event: ObserverEvent,
        from source: Int,
        as side: WritableKeyPath<State, ObserverOutcome?>
    ) -> Bool {
        let isIdle = state.withLock { state in
            switch event {
            case .outcome(let outcome, let isLast):
                state[keyPath: side] = outcome
                if let action = action(after: outcome, isLast: isLast, from: source, in: state) {
                    state.actions.append(action)
                }
            case .finished: state.actions.append(.finish)
            case .cancelled: state.actions.append(.cancel)
            }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isIdle { performActions() }
        if event.isEnd { derived.removeSource(source) }
        return true
    }

    private func action(
        after outcome: ObserverOutcome,
        isLast: Bool,
        from source: Int,
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
            case .fail(let outcome, let source): derived.change { $0.fail(outcome, from: source, &$1) }
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
    /// Creates an observer that joins this one and another one, both already running.
    func join<T>(_ other: ObserverCore, failsFast: Bool, pair: @escaping ObserverJoin.Pair) -> Observer<T> {
        let derived = ObserverCore(executor: executor, isDerived: true)
        let (first, second) = (ObserverCore.newSubscription(), ObserverCore.newSubscription())
        derived.add(source: .init(core: self, subscription: first))
        derived.add(source: .init(core: other, subscription: second), emits: true)
        let join = ObserverJoin(derived: derived, failsFast: failsFast, pair: pair)
        relay(as: first) { join.receive($0, from: first, as: \.first) }
        other.relay(as: second) { join.receive($0, from: second, as: \.second) }
        return Observer(core: derived)
    }
}
