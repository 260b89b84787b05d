#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import CoreNetKit
import Guarding

/// Push registration at IDPush: register the device, let notifications come or not, set tags.
///
/// What is asked for is stored before it is sent. When the process ends or the network is gone, ``flush()`` sends the
/// rest later, once. Every method comes twice, with an ``Observer`` and `async`; errors are ``IDPushError``.
///
/// ```swift
/// let push = try IDPush(IDPushConfiguration(projectID: "5f0…", environment: .development))
/// push.addDevice(token: deviceToken)
///     .onCompleted { print($0.playerID ?? "") }
///     .onError { show($0) }
/// ```
public final class IDPush: Sendable {
    /// What does not change while the service runs; the project id is trimmed.
    public let configuration: IDPushConfiguration

    private let client: Client
    private let desk: RegistrationDesk
    private let turns = Turns()

    /// Creates the service; nothing is read or sent yet.
    ///
    /// - Parameters:
    ///   - configuration: Project, environment, device.
    ///   - store: Where the registration is kept; `UserDefaults`, as in the original, unless another is named.
    ///   - client: Who performs the calls.
    /// - Throws: ``IDPushError/missingProjectID`` or ``IDPushError/insecureURL(_:)``.
    public init(
        _ configuration: IDPushConfiguration,
        store: any KeyValueStore = UserDefaultsStore(),
        client: Client = .shared
    ) throws(IDPushError) {
        self.configuration = try configuration.checked()
        self.client = client
        desk = RegistrationDesk(self.configuration, store: store)
    }

    /// The id of the device at IDPush, read from the store; `nil` before a registration.
    public var playerID: String? { (try? desk.registration())?.playerID }

    /// Whether the user chose not to receive notifications.
    public var isOptedOut: Bool { (try? desk.registration())?.isOptedOut ?? false }

    /// Whether something that was asked for still has to be sent: call ``flush()``.
    public var hasPending: Bool {
        guard let registration = try? desk.registration() else { return false }
        return Registration.Part.allCases.contains { registration.isOpen($0) }
    }

    /// The tags that the server has confirmed.
    public var tags: [String: TagValue] {
        (try? desk.registration())?.tags.filter { $0.value != .remove } ?? [:]
    }

    // MARK: What a request says

    /// The parameters that an action sends now.
    public func parameters(of action: IDPushAction) -> [String: TagValue] {
        action.parameters(configuration, playerID: playerID, isOptedOut: isOptedOut)
    }

    /// The URL that an action goes to now.
    ///
    /// - Parameter action: The action.
    /// - Returns: The URL.
    /// - Throws: ``IDPushError/missingPlayerID`` as long as the device is not registered.
    public func url(of action: IDPushAction) throws -> URL {
        if action.part != .device, playerID == nil { throw IDPushError.missingPlayerID }
        return try action.route(configuration.baseURL, playerID: playerID).url()
    }

    /// Checks whether an action could be sent.
    ///
    /// - Parameter action: The action.
    /// - Throws: The error that ``perform(_:)`` would end with before anything is sent.
    public func validate(_ action: IDPushAction) throws(IDPushError) {
        let action = try action.checked()
        let registration = try desk.registration()
        if action.part != .device, registration.playerID == nil { throw .missingPlayerID }
    }

    /// Keeps an id that was got elsewhere; a blank one is not kept.
    func store(playerID: String) {
        let id = playerID.trimmed
        guard !id.isEmpty else { return }
        try? desk.change { $0.adopt(id) }
    }

    // MARK: Sending

    /// Stores what is wanted, then sends it.
    ///
    /// Nothing is sent when the action is not valid, or when the server has confirmed the same already. Cancelling ends
    /// the request, not the wish: ``flush()`` and the next action of the kind send it.
    /// - Parameter action: What is wanted.
    /// - Returns: An observer of the reply.
    @discardableResult
    public func perform(_ action: IDPushAction) -> Observer<IDPushReply> {
        let ticket = taken(action)
        return observe { try await self.send(ticket.get()) }
    }

    /// Stores what is wanted, sends it and waits for the reply.
    ///
    /// - Parameter action: What is wanted.
    /// - Returns: The reply.
    /// - Throws: ``IDPushError``, or `CancellationError`.
    public func perform(_ action: IDPushAction) async throws -> IDPushReply {
        try await send(taken(action).get())
    }

    /// Sends everything that was wanted and not confirmed yet: at launch, and when the network is back.
    @discardableResult
    public func flush() -> Observer<Void> {
        observe { try await self.sendAll() }
    }

    /// Sends everything that was wanted and not confirmed yet, and waits for it.
    ///
    /// - Throws: The first error; what was not sent stays pending.
    public func flush() async throws { try await sendAll() }

    /// Notes that the user agreed, and sends what waited for it.
    @discardableResult
    public func giveConsent() -> Observer<Void> {
        let noted = Result { () throws(IDPushError) in try desk.change { $0.hasConsent = true } }
        return observe {
            try noted.get()
            try await self.sendAll()
        }
    }

    /// Notes that the user does not agree, and drops what waited for it.
    ///
    /// - Throws: ``IDPushError/storageFailed(_:)``.
    public func refuseConsent() throws(IDPushError) {
        try desk.change { registration in
            registration.hasConsent = false
            registration.dropOpen()
        }
    }

    private func taken(_ action: IDPushAction) -> Result<RegistrationDesk.Ticket, IDPushError> {
        Result { () throws(IDPushError) in try desk.take(action.checked()) }
    }

    private func send(_ ticket: RegistrationDesk.Ticket) async throws -> IDPushReply {
        try await turns.run {
            if let shared = desk.outcome(for: ticket) { return try shared.get() }
            var reply = IDPushReply(playerID: playerID)
            while let order = try desk.next(ticket.part) { reply = try await exchange(order) }
            return reply
        }
    }

    private func sendAll() async throws {
        for part in Registration.Part.allCases where try desk.registration().isOpen(part) {
            _ = try await send(RegistrationDesk.Ticket(part: part, revision: nil, time: 0))
        }
    }

    private func exchange(_ order: RegistrationDesk.Order) async throws -> IDPushReply {
        do {
            let received: IDPushReply.Received =
                try await builder
                .route(.post, order.action.route(configuration.baseURL, playerID: order.playerID))
                .encode(as: .formUrl)
                .set(metadata: ["Idempotency-Key": order.key])
                .build()
                .process(IDPushParameters(values: order.parameters))
            if order.part == .device, received.reply.playerID == nil {
                throw IDPushError.invalidResponse(.missingField("player_id"))
            }
            return try desk.close(order, .success(received.reply))
        } catch let error as CancellationError {
            throw error
        } catch {
            return try desk.close(order, .failure(IDPushError(error, playerID: order.playerID)))
        }
    }

    /// The one place for policies; the idempotency key makes each request safe to repeat.
    private var builder: UrlChainsBuilder<IDPushRoute> {
        let builder = UrlChainsBuilder<IDPushRoute>(client: client)
        return client.configuration.parts.has(.retry) ? builder : builder.retry(.standard)
    }

    private func observe<Model>(_ work: @escaping @Sendable () async throws -> Model) -> Observer<Model> {
        let running = Guarded<Task<Void, Never>?>(nil)
        let context = Context<Model>(onCancel: { running.withLock { $0 }?.cancel() })
        let task = Task.detached(priority: .userInitiated) {
            do {
                context.emit(data: try await work())
            } catch {
                context.emit(error: error)
            }
        }
        running.withLock { $0 = task }
        return context
    }
}
