extension ObserverCore {
    /// Handles one outcome; `ending` is 1 when it is the last one of its source, else 0.
    typealias Step<T: Sendable> =
        nonisolated(nonsending) @Sendable (
            _ outcome: Result<Model, any Error>, _ ending: Int, _ derived: ObserverCore<T>
        ) async -> Void

    /// Makes an observer that is fed by `step`, which runs on `isolation` or on the delivery queue.
    func derive<T: Sendable>(on isolation: (any Actor)?, _ step: @escaping Step<T>) -> Observer<T> {
        let derived = ObserverCore<T>(executor: executor)
        derived.add(source: .core(self))
        subscribe(
            .step(isolation: isolation) { event in
                switch event {
                case .outcome(let outcome, let isLast): await step(outcome, isLast ? 1 : 0, derived)
                case .finished: derived.finish()
                case .canceled: derived.cancel()
                }
            }
        )
        return Observer<T>(core: derived)
    }

    /// Takes everything another observer says, as one more source of this one.
    func follow<T: Sendable>(_ source: ObserverCore<T>, _ transform: @escaping @Sendable (T) -> Model) {
        add(source: .core(source), emits: true)
        source.relay { event in
            switch event {
            case .outcome(let outcome, let isLast):
                if isLast { self.remove(source: source) }
                self.emit(outcome.map(transform), ending: isLast ? 1 : 0)
            case .finished:
                self.remove(source: source)
                self.finish()
            case .canceled:
                self.cancel()
            }
            return true
        }
    }
}
