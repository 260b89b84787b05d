#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import CoreNetKit

/// Loads pages of alarms and performs actions on them: one request for each call, no state.
///
/// Errors are ``AlarmError``. Retry, tokens, deadlines and the queue of callbacks are set on the builder.
public struct AlarmClient: Sendable {
    private let base: URL
    private let builder: UrlChainsBuilder<AlarmRoute>

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - base: The address of the server's API, such as `https://example.com/api/v1`.
    ///   - builder: What all requests have in common: client, retry, token, log, and with `set(partition:)` who is signed
    ///     in. A list belongs to who was signed in when it was made, and sends nothing for anybody else; change the
    ///     partition before the token.
    public init(base: URL, builder: UrlChainsBuilder<AlarmRoute> = UrlChainsBuilder()) {
        self.init(base, builder.insert(SkippedEntriesLayer()))
    }

    private init(_ base: URL, _ builder: UrlChainsBuilder<AlarmRoute>) {
        self.base = base
        self.builder = builder
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
    /// - Returns: What it came to.
    /// - Throws: ``AlarmError``, or `CancellationError`.
    @discardableResult
    public func perform(_ action: AlarmAction) async throws -> AlarmActionResult {
        do { return try await actions.process(action) } catch { throw AlarmError.wrapping(error) }
    }

    /// The same client, for who is signed in now and nobody else.
    func boundToUser() -> AlarmClient {
        let current = builder.configuration.parts.partition
        let owner = current()
        // Each attempt, since a retry may come after a switch.
        return AlarmClient(base, builder.insert(at: .attempt) { SessionNode(next: $0, owner: owner, current: current) })
    }

    private func pages(_ query: AlarmQuery) -> Chain<Void, AlarmPage> {
        var items: [String: Any] = ["limit": query.limit]
        items["before"] = query.before
        return builder.route(.get, .list(base)).set(query: items).build()
    }

    private var actions: Chain<AlarmAction, AlarmActionResult> {
        builder.route(.post, .action(base)).encode(as: .formUrl).build()
    }
}

/// Stops a request of one user while another one is signed in.
private struct SessionNode: ChainStep {
    let next: Exchange
    let owner: Partition
    let current: @Sendable () -> Partition

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard current() == owner else {
            throw AlarmError(.sessionEnded, "another user is signed in than the list belongs to")
        }
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
