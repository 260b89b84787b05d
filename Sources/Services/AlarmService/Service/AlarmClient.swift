public import CoreNetKitEssentials
public import CoreNetKit
import CoreNetKitCache
import CoreNetKitOutbox

/// Loads pages of alarms and performs actions on them: one request for each call, no state.
///
/// Errors are ``AlarmError``. Retry, tokens, deadlines and the queue of callbacks are set on the builder.
public struct AlarmClient: Sendable {
    private let base: URL
    private let builder: UrlChainsBuilder<AlarmRoute>
    /// Whose requests these are, where they are of one login alone.
    private let owner: Partition.Session?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - base: The address of the server's API, such as `https://example.com/api/v1`.
    ///   - builder: The common settings of all requests: client, retry, token, log, and with `set(partition:)` the
    ///     user. A list belongs to the user who was signed in when it was created, and sends nothing for other users;
    ///     change the partition before the token.
    public init(base: URL, builder: UrlChainsBuilder<AlarmRoute> = UrlChainsBuilder()) {
        self.init(base, builder.insert(SkippedEntriesLayer()), owner: nil)
    }

    private init(_ base: URL, _ builder: UrlChainsBuilder<AlarmRoute>, owner: Partition.Session?) {
        self.base = base
        self.builder = builder
        self.owner = owner
    }

    /// Whether it is known who is signed in.
    var knowsUser: Bool { !builder.configuration.parts.partition().isAnonymous }

    /// Loads a page.
    ///
    /// - Parameter query: Which one.
    /// - Returns: The observer of the call.
    public func page(_ query: AlarmQuery = .first) -> Observer<AlarmPage> {
        pages(query).process().mapError(AlarmError.wrapping)
    }

    /// Loads a page.
    ///
    /// - Parameter query: Which one.
    /// - Returns: The page.
    /// - Throws: ``AlarmError``, or `CancellationError`.
    public func page(_ query: AlarmQuery = .first) async throws -> AlarmPage {
        do { return try await pages(query).process() } catch { throw AlarmError.wrapping(error) }
    }

    /// Performs an action.
    ///
    /// - Parameter action: What to do.
    /// - Returns: The observer of the call.
    @discardableResult
    public func perform(_ action: AlarmAction) -> Observer<AlarmActionResult> {
        actions.process(action).mapError(AlarmError.wrapping)
    }

    /// Performs an action.
    ///
    /// - Parameter action: What to do.
    /// - Returns: The result.
    /// - Throws: ``AlarmError``, or `CancellationError`.
    @discardableResult
    public func perform(_ action: AlarmAction) async throws -> AlarmActionResult {
        do { return try await actions.process(action) } catch { throw AlarmError.wrapping(error) }
    }

    /// The same client, for the login of now and no other.
    func boundToUser() -> AlarmClient {
        AlarmClient(base, builder, owner: builder.configuration.parts.session())
    }

    // MARK: - For lists

    /// Loads the newest page: what the cache has at once, where there is a cache, then what the network says.
    func newest(_ limit: Int, showStored: (AlarmPage) -> Void) async throws -> AlarmPage {
        let query = AlarmQuery(limit: limit)
        guard builder.configuration.parts.has(.cache) else { return try await page(query) }
        do {
            try checkSession()
            var last: AlarmPage?
            for try await update in pages(query).updates() {
                if let error = update.error { throw error }
                if last == nil, update.outcome?.isFromCache == true { showStored(update.value) }
                last = update.value
            }
            try Task.checkCancellation()
            return try last ?? { throw CancellationError() }()
        } catch {
            throw AlarmError.wrapping(error)
        }
    }

    /// Stores an action of the client's user in the outbox; returns when it is on disk.
    func enqueue(_ action: AlarmAction) async throws -> OutboxReceipt {
        do {
            // The outbox binds it to the user: no node of this process does.
            return try await builder.route(.post, .action(base)).encode(as: .formUrl)
                .enqueue(
                    in: queue,
                    as: queue,
                    expires: action.coversWhatComes ? .seconds(3600) : nil,
                    repetition: action.coversWhatComes ? .byMethod : .harmless,
                    of: owner?.partition
                )
                .process(action)
        } catch {
            throw AlarmError.wrapping(error)
        }
    }

    /// The actions of the client's user that wait in the outbox, those of earlier processes too.
    func waiting(in outbox: Outbox) async -> [(AlarmAction, OutboxReceipt)] {
        let waiting = (try? await outbox.waiting(queue, of: user)) ?? []
        return waiting.compactMap { entry in
            guard case .bytes(let form) = entry.request.body.content else { return nil }
            return AlarmAction(form: String(decoding: form, as: UTF8.self)).map { ($0, entry.receipt) }
        }
    }

    /// Has the user's name, although nobody waits behind the taps of somebody else in an outbox: taps that earlier versions
    /// stored lie in queues and kinds of this name, and later ones must not overtake them.
    private var queue: String { "alarms \(base.absoluteString.prefix(100)) \(user.name.prefix(100))" }

    private var user: Partition { owner?.partition ?? .anonymous }

    private func checkSession() throws {
        guard let owner else { return }
        try SessionNode.check(owner, builder.configuration.parts.session)
    }

    /// The builder of what is sent at once.
    private var sending: UrlChainsBuilder<AlarmRoute> {
        guard let owner else { return builder }
        let current = builder.configuration.parts.session
        // Each attempt, since a retry may come after a switch; it changes no response, so the cache may be outside it.
        return builder.insert(at: .attempt, scope: .none) { SessionNode(next: $0, owner: owner, current: current) }
    }

    private func pages(_ query: AlarmQuery) -> Chain<Void, AlarmPage> {
        var items: [String: Any] = ["limit": query.limit]
        items["before"] = query.before
        // A page that is still fresh may be older than an action of the user.
        return sending.cache(.revalidate).route(.get, .list(base)).set(query: items).build()
    }

    private var actions: Chain<AlarmAction, AlarmActionResult> {
        sending.route(.post, .action(base)).encode(as: .formUrl).build()
    }
}

/// Stops a request of one login once it is over.
private struct SessionNode: ChainStep {
    let next: Exchange
    let owner: Partition.Session
    let current: @Sendable () -> Partition.Session

    static func check(_ owner: Partition.Session, _ current: () -> Partition.Session) throws {
        guard current() == owner else {
            throw AlarmError(.sessionEnded, "the user has signed out since the list was made")
        }
    }

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        try Self.check(owner, current)
        return try await next.process(input, context: context)
    }
}

/// Writes into the record of a call how many entries of its page were left out.
private struct SkippedEntriesLayer: Layer {
    func wrap<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output> {
        AnyNode("SkippedEntries", successors: [next]) { input, context in
            let output = try await next.process(input, context: context)
            if let page = output as? AlarmPage, page.skipped > 0 {
                context.record(.warning, "SkippedEntries", "\(page.skipped) entries without a sequence were left out")
            }
            return output
        }
    }
}
