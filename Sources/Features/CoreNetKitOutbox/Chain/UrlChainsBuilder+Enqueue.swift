public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitHTTP

// A separate verb builds a chain that ends in the outbox: `build()` with a wrong output type would store the request
// first and fail then.
extension UrlChainsBuilder {
    /// Builds a chain that stores the request of an input and returns the receipt when it is on disk.
    ///
    /// ```swift
    /// let post: Chain<Comment, OutboxReceipt> = builder.route(.post, .comments)
    ///     .enqueue(in: "post/42", as: "comment", expires: .seconds(7 * 86_400), sending: .json)
    /// ```
    ///
    /// The client needs an outbox, ``PolicyHolder/outbox(_:)``; the builder must have no policies, providers or transport
    /// of its own. Fields that carry credentials are refused: the client adds fresh ones to each delivery.
    ///
    /// The parameters are those of ``Outbox/enqueue(_:in:kind:expires:merging:repetition:key:owner:expects:when:)``;
    /// `user` is that of the request, `nil` for the one who is signed in when it is stored. `sending` says how the
    /// input is sent; without it the chain takes no input.
    ///
    /// - Returns: The chain; its calls fail with code `notStored`, the cause an ``OutboxError``, and with `invalidChain`.
    public func enqueue<Input>(
        in queue: String? = nil,
        as kind: String = "",
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        repetition: OutboxRepetition = .byMethod,
        of user: Partition? = nil,
        when conditions: Set<OutboxCondition> = [],
        sending: Sending<Input> = .nothing
    ) -> Chain<Input, OutboxReceipt> {
        let parts = configuration.parts
        var options = EnqueueOptions(queue: queue, kind: kind, expires: expires, mergeKey: mergeKey)
        (options.repetition, options.user, options.conditions) = (repetition, user, conditions)
        let node = OutboxNode(policy: parts.policy(OutboxPolicy.self), parts: parts, options: options)
        return chain(sending: sending, to: node)
    }
}
