import CoreNetKit
import Guarding

/// The one place where the registration changes: in the store first, then in memory, under one lock.
final class RegistrationDesk: Sendable {
    typealias Part = Registration.Part

    /// A wish that was taken: what to wait for.
    struct Ticket: Sendable {
        let part: Part
        /// The revision that has the wish; `nil` wants nothing new, only to have what is open sent.
        let revision: Int?
        let time: Int
    }

    /// A request that is about to be sent.
    struct Order: Sendable {
        let part: Part
        let action: IDPushAction
        let playerID: String?
        let parameters: [String: TagValue]
        let key: String
        let revision: Int
    }

    private struct Outcome: Sendable {
        let revision: Int
        let time: Int
        let result: Result<IDPushReply, IDPushError>
    }

    private struct State: Sendable {
        var registration: Registration?
        var outcomes: [Part: Outcome] = [:]
        var time = 0
    }

    private let configuration: IDPushConfiguration
    private let store: RegistrationStore
    private let state = Guarded(State())

    init(_ configuration: IDPushConfiguration, store: any KeyValueStore) {
        self.configuration = configuration
        self.store = RegistrationStore(store: store, projectID: configuration.projectID)
    }

    /// The registration, read from the store when it is first needed.
    func registration() throws(IDPushError) -> Registration {
        try state.withLock { (state) throws(IDPushError) in try load(&state) }
    }

    /// Changes the registration; when the store cannot keep the change, there is none.
    func change(_ body: @Sendable (inout Registration) -> Void) throws(IDPushError) {
        try state.withLock { (state) throws(IDPushError) in try change(&state, body) }
    }

    /// Takes a wish; it is durable when this returns.
    func take(_ action: IDPushAction) throws(IDPushError) -> Ticket {
        try state.withLock { (state) throws(IDPushError) in
            let registration = try load(&state)
            if configuration.requiresConsent, registration.hasConsent == false { throw .consentRequired }
            if action.part != .device, registration.playerID == nil { throw .missingPlayerID }
            let part = action.part
            try change(&state) { $0.want(action, configuration) }
            state.time += 1
            return Ticket(part: part, revision: state.registration?.revision(of: part), time: state.time)
        }
    }

    /// What came of the request that had this wish in it, when it was sent for somebody else.
    func outcome(for ticket: Ticket) -> Result<IDPushReply, IDPushError>? {
        state.withLock { state in
            guard let revision = ticket.revision, let outcome = state.outcomes[ticket.part] else { return nil }
            return outcome.revision >= revision && outcome.time >= ticket.time ? outcome.result : nil
        }
    }

    /// The next request of a part, `nil` when there is nothing to send.
    func next(_ part: Part) throws(IDPushError) -> Order? {
        try state.withLock { (state) throws(IDPushError) in
            let registration = try load(&state)
            guard let action = registration.next(part) else { return nil }
            if configuration.requiresConsent, registration.hasConsent != true { throw .consentRequired }
            let playerID = part == .device ? nil : registration.playerID
            if part != .device, playerID == nil { throw .missingPlayerID }
            let parameters = action.parameters(
                configuration,
                playerID: playerID,
                isOptedOut: registration.isOptedOut
            )
            let revision = registration.revision(of: part)
            return Order(
                part: part,
                action: action,
                playerID: playerID,
                parameters: parameters,
                key: "\(registration.seed).\(part).\(revision)",
                revision: revision
            )
        }
    }

    /// Notes what came of a request.
    ///
    /// - Parameters:
    ///   - order: The request.
    ///   - result: What came of it.
    /// - Returns: The reply, with the id of the device.
    /// - Throws: The error of the request, or ``IDPushError/storageFailed(_:)``.
    func close(_ order: Order, _ result: Result<IDPushReply, IDPushError>) throws(IDPushError) -> IDPushReply {
        try state.withLock { (state) throws(IDPushError) in
            var result = result
            do throws(IDPushError) {
                try change(&state) { registration in
                    switch result {
                    case .success(let reply):
                        registration.confirm(order.action, sent: order.parameters, id: reply.playerID)
                    case .failure(let error): registration.fail(order.action, error)
                    }
                }
            } catch {
                if case .success = result { result = .failure(error) }
            }
            result = result.map { IDPushReply(playerID: state.registration?.playerID, message: $0.message) }
            state.outcomes[order.part] = Outcome(revision: order.revision, time: state.time, result: result)
            return try result.get()
        }
    }

    private func load(_ state: inout State) throws(IDPushError) -> Registration {
        if let registration = state.registration { return registration }
        let loaded = try store.load()
        state.registration = loaded
        return loaded
    }

    private func change(_ state: inout State, _ body: (inout Registration) -> Void) throws(IDPushError) {
        let before = try load(&state)
        var after = before
        body(&after)
        after.count(changesSince: before)
        guard after != before else { return }
        try store.save(after, previous: before)
        state.registration = after
    }
}

extension IDPushAction {
    /// The part of the registration that the action changes.
    var part: Registration.Part {
        switch self {
        case .addDevice: .device
        case .subscribe, .unsubscribe: .choice
        case .setTags: .tags
        case .editDevice: .parameters
        }
    }
}
