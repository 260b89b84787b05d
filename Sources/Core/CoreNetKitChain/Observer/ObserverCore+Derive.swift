extension ObserverCore {
    /// Handles one outcome, `ending` 1 for the last of its source, else 0; an error that it throws becomes the outcome.
    typealias Step =
        nonisolated(nonsending) @Sendable (_ outcome: ObserverOutcome, _ ending: Int, _ derived: ObserverCore)
        async throws -> Void

    /// Creates an observer that is fed by `step`, which runs on `isolation` or on the delivery queue.
    func derive<T>(on isolation: (any Actor)?, _ step: @escaping Step) -> Observer<T> {
        let derived = ObserverCore(executor: executor, isDerived: true)
        let subscription = ObserverCore.newSubscription()
        derived.add(source: .init(core: self, subscription: subscription))
        subscribe(.step, on: isolation, as: subscription) { event in
            switch event {
            case .outcome(let outcome, let isLast):
                let ending = isLast ? 1 : 0
                do { try await step(outcome, ending, derived) } catch { derived.emit(.failure(error), ending: ending) }
            case .finished: derived.finish()
            case .cancelled: derived.cancelFromSource()
            }
        }
        return Observer(core: derived)
    }

    /// Follows the call that an operator's closure returned; throws if that waits for this observer: neither would end.
    func follow(
        call source: ObserverCore,
        _ transform: (@Sendable (ObserverOutcome) -> ObserverOutcome)? = nil
    ) throws {
        let subscription = ObserverCore.newSubscription()
        add(source: .init(core: source, subscription: subscription), emits: true)
        // Checked after registration as a source: if two begin to follow each other, the later one detects it.
        guard !source.waits(for: self) else {
            removeSource(subscription)
            finish()
            throw NetworkError(
                .invalidChain,
                "the closure of an operator returned an observer that waits for the operator",
                node: "Observer"
            )
        }
        relay(source, subscription, transform)
    }

    /// Whether this is the other core or has it upstream.
    private func waits(for other: ObserverCore) -> Bool {
        var open = [self]
        var seen: Set<ObjectIdentifier> = []
        while let core = open.popLast() {
            if core === other { return true }
            if seen.insert(ObjectIdentifier(core)).inserted { open += core.upstream }
        }
        return false
    }

    func follow(_ source: ObserverCore) {
        let subscription = ObserverCore.newSubscription()
        add(source: .init(core: source, subscription: subscription), emits: true)
        relay(source, subscription, nil)
    }

    private func relay(
        _ source: ObserverCore,
        _ subscription: Int,
        _ transform: (@Sendable (ObserverOutcome) -> ObserverOutcome)?
    ) {
        source.relay(as: subscription) { event in
            switch event {
            case .outcome(let outcome, let isLast):
                if isLast { self.removeSource(subscription) }
                self.emit(transform?(outcome) ?? outcome, ending: isLast ? 1 : 0)
            case .finished:
                self.removeSource(subscription)
                self.finish()
            case .cancelled:
                self.cancelFromSource()
            }
            return true
        }
    }

    /// Runs the closure of an operator in a separate task, which is cancelled with this core: a closure may wait for
    /// another call, which must then end on the wire.
    func call<Value: Sendable>(
        on isolation: (any Actor)?,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard isOpen else { throw CancellationError() }
        let task = begin(isolation == nil ? executor : nil) {
            // The task may start later, on a system without immediate tasks.
            try Task.checkCancellation()
            return try await work()
        }
        let handler = ObserverCore.newSubscription()
        add(source: .init(subscription: handler, handler: { task.cancel() }))
        defer { removeSource(handler) }
        return try await task.value
    }

    private func begin<Value: Sendable>(
        _ executor: DeliveryExecutor?,
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            return .immediate(executorPreference: executor, operation: work)
        }
        return Task(executorPreference: executor, operation: work)
    }
}
