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
    ///   - builder: What all requests have in common: client, retry, token, log.
    public init(base: URL, builder: UrlChainsBuilder<AlarmRoute> = UrlChainsBuilder()) {
        self.base = base
        self.builder = builder.insert(SkippedEntriesLayer())
    }

    /// Loads a page.
    ///
    /// - Parameter query: Which one.
    /// - Returns: The observer of the call.
    public func page(_ query: AlarmQuery = .first) -> Observer<AlarmPage> {
        pages(query).process().mapError { error -> any Error in AlarmError(error) }
    }

    /// Loads a page.
    ///
    /// - Parameter query: Which one.
    /// - Returns: The page.
    /// - Throws: ``AlarmError``, or `CancellationError`.
    public func page(_ query: AlarmQuery = .first) async throws -> AlarmPage {
        try await mapped { try await pages(query).process() }
    }

    /// Performs an action.
    ///
    /// - Parameter action: What to do.
    /// - Returns: The observer of the call.
    @discardableResult
    public func perform(_ action: AlarmAction) -> Observer<AlarmActionResult> {
        actions.process(action).mapError { error -> any Error in AlarmError(error) }
    }

    /// Performs an action.
    ///
    /// - Parameter action: What to do.
    /// - Returns: What it came to.
    /// - Throws: ``AlarmError``, or `CancellationError`.
    @discardableResult
    public func perform(_ action: AlarmAction) async throws -> AlarmActionResult {
        try await mapped { try await actions.process(action) }
    }

    private func pages(_ query: AlarmQuery) -> Chain<Void, AlarmPage> {
        var items: [String: Any] = ["limit": query.limit]
        items["before"] = query.before
        return builder.route(.get, .list(base)).set(query: items).build()
    }

    private var actions: Chain<AlarmAction, AlarmActionResult> {
        builder.route(.post, .action(base)).encode(as: .formUrl).build()
    }

    private func mapped<Value>(_ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw AlarmError(error)
        }
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
