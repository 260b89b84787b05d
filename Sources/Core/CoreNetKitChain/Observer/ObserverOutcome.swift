/// The outcome of a call, without the type of its model.
///
/// The internal parts of observers are not generic, because a generic step costs a metadata look-up in a client: the
/// typed function that emits a model boxes it, and the typed closure that receives it unboxes it.
enum ObserverOutcome: Sendable {
    /// A `ModelBox` of the model.
    case success(any AnyObject & Sendable)
    case failure(any Error)

    static func success<Model: Sendable>(of model: Model) -> ObserverOutcome { .success(ModelBox(model)) }

    init<Model: Sendable>(_ result: Result<Model, any Error>) {
        switch result {
        case .success(let model): self = .success(of: model)
        case .failure(let error): self = .failure(error)
        }
    }

    /// The model; `Model` must be the model type of the outcome's observer.
    func get<Model: Sendable>(_: Model.Type = Model.self) throws -> Model {
        switch self {
        case .success(let box): ModelBox.model(of: box)
        case .failure(let error): throw error
        }
    }

    func result<Model: Sendable>(_: Model.Type = Model.self) -> Result<Model, any Error> {
        switch self {
        case .success(let box): .success(ModelBox.model(of: box))
        case .failure(let error): .failure(error)
        }
    }
}

/// A model, whose static type only the typed ends of an observer know.
final class ModelBox<Model: Sendable>: Sendable {
    private let model: Model

    init(_ model: Model) { self.model = model }

    static func model(of box: any AnyObject & Sendable) -> Model {
        // Sound, because all observers of a core have the same model type.
        unsafeDowncast(box, to: ModelBox.self).model
    }
}

/// The events that listeners and derived observers receive.
enum ObserverEvent: Sendable {
    /// An outcome; nothing follows it when `isLast`.
    case outcome(ObserverOutcome, isLast: Bool)

    /// The source has ended; the last outcome was delivered before.
    case finished

    /// The call was cancelled.
    case cancelled

    /// Whether nothing follows.
    var isEnd: Bool {
        switch self {
        case .outcome(_, let isLast): isLast
        case .finished, .cancelled: true
        }
    }
}
