public import CoreNetKitHTTP

/// Completes the header fields of a request: what the response may be, then what the providers give.
///
/// in and to next: `TransportRequest`, out: what next gives. Providers are asked once for each call, in order; a later
/// one's field replaces an earlier one's, and any provider's replaces the metadata's. A provider that does not answer is
/// left behind at the deadline of the call.
public struct HeadersNode<Next: Node>: Node where Next.Input == TransportRequest {
    private let next: Next
    private let accept: String
    private let providers: [any MetadataProvider]
    private let clock: CallClock

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the request.
    ///   - accept: The `Accept` field of a request that has none.
    ///   - providers: Who else gives fields.
    ///   - clock: The clock of the deadline.
    public init(
        next: Next,
        accept: String = "*/*",
        providers: [any MetadataProvider] = [],
        clock: CallClock = .continuous
    ) {
        self.next = next
        self.accept = accept
        self.providers = providers
        self.clock = clock
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Completes the fields and passes the request on.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: ``NetworkError`` with the provider's error as its cause, or what next throws.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> Next.Output {
        var request = input
        for provider in providers {
            do {
                request.headers.merge(try await fields(of: provider, context))
            } catch {
                throw NetworkError.wrapping(error, stage: id) ?? error
            }
        }
        // A provider that names a type for all requests must not cost a form with parts its boundary.
        if let type = input.headers["Content-Type"], type.isMultipart { request.headers["Content-Type"] = type }
        if !request.headers.contains("Accept") { request.headers.append("Accept", accept) }
        context.record(.info, id, "\(request.method) \(Redaction.url(request.url))")
        for field in request.headers {
            context.record(.debug, id, Redaction.line(field))
        }
        return try await next.process(request, context: context)
    }

    private func fields(of provider: any MetadataProvider, _ context: RequestContext) async throws -> Headers {
        // Constants answer at once; the watch over the others costs two tasks.
        if provider is Headers || provider is [String: String] { return try await provider.metadata() }
        return try await Waiter.value(of: { try await provider.metadata() }, until: context.deadline, on: clock) {
            let name = type(of: provider)
            var error = NetworkError(
                .deadlineExceeded,
                "the deadline passed while \(name) was asked for its header fields",
                stage: id
            )
            error.phase = .queue
            return error
        }
    }
}
