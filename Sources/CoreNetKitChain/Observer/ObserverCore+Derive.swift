extension ObserverCore {
    /// Handles one outcome; `ending` is 1 when it is the last one of its source, else 0.
    typealias Step =
        nonisolated(nonsending) @Sendable (_ outcome: Outcome, _ ending: Int, _ derived: ObserverCore) async -> Void

    /// Makes a core that is fed by `step`, which runs on `isolation` or on the delivery queue.
    func derive(on isolation: (any Actor)?, _ step: @escaping Step) -> ObserverCore {
        let derived = ObserverCore(executor: executor, isDerived: true)
        let subscription = ObserverCore.newSubscription()
        derived.add(source: .core(self, subscription))
        subscribe(.step, on: isolation, as: subscription) { event in
            switch event {
            case .outcome(let outcome, let isLast): await step(outcome, isLast ? 1 : 0, derived)
            case .finished: derived.finish()
            case .canceled: derived.cancelFromSource()
            }
        }
        return derived
    }

    /// Takes everything another observer says, as one more source of this one.
    func follow(_ source: ObserverCore, _ transform: (@Sendable (Outcome) -> Outcome)? = nil) {
        let subscription = ObserverCore.newSubscription()
        add(source: .core(source, subscription), emits: true)
        let id = ObjectIdentifier(source)
        source.relay(as: subscription) { event in
            switch event {
            case .outcome(let outcome, let isLast):
                if isLast { self.remove(source: id) }
                self.emit(transform?(outcome) ?? outcome, ending: isLast ? 1 : 0)
            case .finished:
                self.remove(source: id)
                self.finish()
            case .canceled:
                self.cancelFromSource()
            }
            return true
        }
    }
}
