public import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitOutbox

/// Loads pages of alarms and performs actions on them: one request for each call, no state.
///
/// Errors are ``AlarmError`` or `CancellationError`. Retry, tokens, deadlines and the callback queue are set on the
/// builder.
public struct AlarmClient: Sendable {
    private let base: URL
    private let builder: UrlChainsBuilder<AlarmRoute>
    /// The login that the requests belong to, if they are bound to one.
    private var owner: Partition.Session?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - base: The address of the server's API, such as `https://example.com/api/v1`.
    ///   - builder: The common settings of all requests: client, retry, token, log, and with `set(partition:)` the
    ///     user. A list belongs to the user who was signed in when it was created, and sends nothing for other users;
    ///     change the partition before the token.
    public init(base: URL, builder: UrlChainsBuilder<AlarmRoute> = UrlChainsBuilder()) {
        self.base = base
        self.builder = builder.withoutErrorModel.insert(SkippedEntriesLayer())
    }

    var knowsUser: Bool { !builder.configuration.parts.partition().isAnonymous }

    /// Loads a page.
    public func page(_ query: AlarmQuery = .first) -> Observer<AlarmPage> {
        pages(query).process().mapError(AlarmError.wrapping)
    }

    /// Loads a page.
    public func page(_ query: AlarmQuery = .first) async throws -> AlarmPage {
        do { return try await pages(query).process() } catch { throw AlarmError.wrapping(error) }
    }

    /// Performs an action.
    @discardableResult
    public func perform(_ action: AlarmAction) -> Observer<AlarmActionResult> {
        actions.process(action).mapError(AlarmError.wrapping)
    }

    /// Performs an action.
    @discardableResult
    public func perform(_ action: AlarmAction) async throws -> AlarmActionResult {
        do { return try await actions.process(action) } catch { throw AlarmError.wrapping(error) }
    }

    func boundToUser() -> AlarmClient {
        var bound = self
        bound.owner = builder.configuration.parts.session()
        return bound
    }

    // MARK: - For lists

    /// Loads the newest page: first from the cache, if there is one, then from the network.
    func newest(_ limit: Int, showStored: (AlarmPage) -> Void) async throws -> AlarmPage {
        let query = AlarmQuery(limit: limit)
        guard builder.configuration.parts.has(.cache) else { return try await page(query) }
        do {
            if let owner { try checkSession(owner) }
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
            // The outbox binds the entry to the user, so no node of this process is needed for that.
            return try await builder.route(.post, .action(base)).encode(as: .formUrl)
                .enqueue(
                    in: queue,
                    as: queue,
                    expires: action.coversWhatComes ? .seconds(3600) : nil,
                    repetition: action.coversWhatComes ? .byMethod : .harmless,
                    of: owner?.partition,
                    sending: .json
                )
                .process(action)
        } catch {
            throw AlarmError.wrapping(error)
        }
    }

    /// The actions of the client's user that wait in the outbox, including those of earlier processes.
    func waiting(in outbox: Outbox) async -> [(AlarmAction, OutboxReceipt)] {
        let waiting = (try? await outbox.waiting(queue, of: user)) ?? []
        return waiting.compactMap { entry in
            guard case .bytes(let form) = entry.request.body.content else { return nil }
            return AlarmAction(form: String(decoding: form, as: UTF8.self)).map { ($0, entry.receipt) }
        }
    }

    /// Contains the user's name for compatibility: earlier versions stored actions in queues and kinds of this name,
    /// and new actions must not overtake those.
    private var queue: String { "alarms \(base.absoluteString.prefix(100)) \(user.name.prefix(100))" }

    private var user: Partition { owner?.partition ?? .anonymous }

    private func checkSession(_ owner: Partition.Session) throws {
        guard builder.configuration.parts.session() == owner else {
            throw AlarmError(.sessionEnded, "the user has signed out since the list was made")
        }
    }

    private var sending: UrlChainsBuilder<AlarmRoute> {
        guard let owner else { return builder }
        // Checked on each attempt, as the user may change before a retry; it changes no response, so a cache may be outside.
        return builder.insert(at: .attempt, scope: .none) { next in
            AnyNode<TransportRequest, TransportResponse>("SessionNode", successors: [next]) { input, context in
                try checkSession(owner)
                return try await next.process(input, context: context)
            }
        }
    }

    private func pages(_ query: AlarmQuery) -> Chain<Void, AlarmPage> {
        var items: [String: Any] = ["limit": query.limit]
        items["before"] = query.before
        // A fresh cached page may predate an action of the user.
        return sending.cache(.revalidate).route(.get, .list(base)).set(query: items).build()
    }

    private var actions: Chain<AlarmAction, AlarmActionResult> {
        sending.route(.post, .action(base)).encode(as: .formUrl).build()
    }
}

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
