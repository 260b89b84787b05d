/// What a listener or a derived observer can be told.
enum ObserverEvent<Model: Sendable>: Sendable {
    /// A result; nothing follows it when `isLast`.
    case outcome(Result<Model, any Error>, isLast: Bool)

    /// The source is gone, the last outcome was told before.
    case finished

    /// The call was cancelled.
    case canceled
}

/// One subscription, with the isolation its closure was written in.
enum ObserverListener<Model: Sendable>: Sendable {
    /// An operator's closure, told everything; runs on `isolation` when the caller is there.
    typealias Step = nonisolated(nonsending) @Sendable (ObserverEvent<Model>) async -> Void

    case completed(@isolated(any) @Sendable (Model) -> Void)
    case failed(@isolated(any) @Sendable (any Error) -> Void)
    case canceled(@isolated(any) @Sendable () -> Void)
    case ended(@isolated(any) @Sendable () -> Void)
    case step(isolation: (any Actor)?, Step)

    var isolation: (any Actor)? {
        switch self {
        case .completed(let listener): listener.isolation
        case .failed(let listener): listener.isolation
        case .canceled(let listener), .ended(let listener): listener.isolation
        case .step(let isolation, _): isolation
        }
    }

    /// Whether this is a `defer` listener: called after all others of the same outcome.
    var isEnded: Bool {
        if case .ended = self { true } else { false }
    }

    var isStep: Bool {
        if case .step = self { true } else { false }
    }

    func wants(_ event: ObserverEvent<Model>) -> Bool {
        switch (self, event) {
        case (.step, _), (.completed, .outcome(.success, _)), (.failed, .outcome(.failure, _)),
            (.canceled, .canceled), (.ended, .outcome), (.ended, .canceled):
            true
        default:
            false
        }
    }
}

/// A listener that is due, and what it is told.
struct ObserverDelivery<Model: Sendable>: Sendable {
    let listener: ObserverListener<Model>
    let event: ObserverEvent<Model>
    let round: Int

    /// Calls the listener; the caller stands on its isolation already, so nothing is suspended before the call.
    func call(isolation: isolated (any Actor)?) async {
        switch (listener, event) {
        case (.completed(let listener), .outcome(.success(let model), _)): await listener(model)
        case (.failed(let listener), .outcome(.failure(let error), _)): await listener(error)
        case (.canceled(let listener), _), (.ended(let listener), _): await listener()
        case (.step(_, let step), let event): await step(event)
        default: break
        }
    }
}
