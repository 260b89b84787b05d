public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitHTTP

// A separate verb builds a chain that ends in the outbox: `build()` with a wrong output type would store the request
// first and fail then.
extension UrlChainsBuilder {
    /// Builds a chain that stores a model's request and returns the receipt when it is on disk.
    ///
    /// ```swift
    /// let post: Chain<Comment, OutboxReceipt> = builder.route(.post, .comments)
    ///     .enqueue(in: "post/42", as: "comment", expires: .seconds(7 * 86_400))
    /// ```
    ///
    /// The client needs an outbox, ``PolicyHolder/outbox(_:)``; the builder must have no policies, providers or transport
    /// of its own. Fields that carry credentials are refused: the client adds fresh ones to each delivery.
    ///
    /// - Parameters:
    ///   - queue: Requests of one queue are sent one after the other; `nil` for a separate queue.
    ///   - kind: The kind of request, for ``Outbox/on(_:as:_:)``.
    ///   - expires: The time after which it is no longer useful; `nil` for never.
    ///   - mergeKey: Replaces an entry of the same queue and key that has not been sent yet.
    ///   - repetition: Whether it may be sent again if the outcome of the last attempt is unknown.
    ///   - user: The user of the request; `nil` for the one who is signed in when it is stored.
    ///   - conditions: What it waits for, besides its turn.
    /// - Returns: The chain; its calls fail with code `notStored`, the cause an ``OutboxError``, and with `invalidChain`.
    public func enqueue<I: DTOEncodable & Sendable>(
        in queue: String? = nil,
        as kind: String = "",
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        repetition: OutboxRepetition = .byMethod,
        of user: Partition? = nil,
        when conditions: Set<OutboxCondition> = []
    ) -> Chain<I, OutboxReceipt> where I.DTO.Raw: RequestPayload {
        let node = node(queue, kind, expires, mergeKey, repetition, user, conditions)
        return finish(sending(I.self, through: core(to: node)))
    }

    /// Builds a chain that stores the request of a plain `Encodable` and returns the receipt when it is on disk.
    ///
    /// - Parameters:
    ///   - queue: Requests of one queue are sent one after the other; `nil` for a separate queue.
    ///   - kind: The kind of request, for ``Outbox/on(_:as:_:)``.
    ///   - expires: The time after which it is no longer useful; `nil` for never.
    ///   - mergeKey: Replaces an entry of the same queue and key that has not been sent yet.
    ///   - repetition: Whether it may be sent again if the outcome of the last attempt is unknown.
    ///   - user: The user of the request; `nil` for the one who is signed in when it is stored.
    ///   - conditions: What it waits for, besides its turn.
    /// - Returns: The chain; its calls fail with code `notStored`, the cause an ``OutboxError``, and with `invalidChain`.
    @_disfavoredOverload
    public func enqueue<I: Encodable & Sendable>(
        in queue: String? = nil,
        as kind: String = "",
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        repetition: OutboxRepetition = .byMethod,
        of user: Partition? = nil,
        when conditions: Set<OutboxCondition> = []
    ) -> Chain<I, OutboxReceipt> {
        let node = node(queue, kind, expires, mergeKey, repetition, user, conditions)
        return finish(encoding(I.self, through: core(to: node)))
    }

    /// Builds a chain that stores a request without content and returns the receipt when it is on disk.
    ///
    /// - Parameters:
    ///   - queue: Requests of one queue are sent one after the other; `nil` for a separate queue.
    ///   - kind: The kind of request, for ``Outbox/on(_:as:_:)``.
    ///   - expires: The time after which it is no longer useful; `nil` for never.
    ///   - mergeKey: Replaces an entry of the same queue and key that has not been sent yet.
    ///   - repetition: Whether it may be sent again if the outcome of the last attempt is unknown.
    ///   - user: The user of the request; `nil` for the one who is signed in when it is stored.
    ///   - conditions: What it waits for, besides its turn.
    /// - Returns: The chain; its calls fail with code `notStored`, the cause an ``OutboxError``, and with `invalidChain`.
    public func enqueue(
        in queue: String? = nil,
        as kind: String = "",
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        repetition: OutboxRepetition = .byMethod,
        of user: Partition? = nil,
        when conditions: Set<OutboxCondition> = []
    ) -> Chain<Void, OutboxReceipt> {
        let node = node(queue, kind, expires, mergeKey, repetition, user, conditions)
        return finish(sendingNothing(through: core(to: node)))
    }

    private func node(
        _ queue: String?,
        _ kind: String,
        _ expires: Duration?,
        _ mergeKey: String?,
        _ repetition: OutboxRepetition,
        _ user: Partition?,
        _ conditions: Set<OutboxCondition>
    ) -> OutboxNode {
        let parts = configuration.parts
        var options = EnqueueOptions(queue: queue, kind: kind, expires: expires, mergeKey: mergeKey)
        (options.repetition, options.user, options.conditions) = (repetition, user, conditions)
        return OutboxNode(policy: parts.policy(OutboxPolicy.self), parts: parts, options: options)
    }
}
