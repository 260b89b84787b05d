package import CoreNetKitChain
package import CoreNetKitHTTP

/// Adds a key that all attempts share to a request whose method is not idempotent.
///
/// in and to next: `TransportRequest`, out: the output of next. It is outside retry. An existing key of the request is
/// kept, because the caller may repeat an earlier attempt, perhaps of another process.
package struct IdempotencyKeyNode: ChainStep {
    package let next: Exchange
    let make: @Sendable () -> String

    package init(next: Exchange, make: @escaping @Sendable () -> String) {
        self.next = next
        self.make = make
    }

    /// Adds the key and passes the request on.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: An error of the next node.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard !input.method.isIdempotent, !input.headers.contains(IdempotencyKey.fieldName) else {
            return try await next.process(input, context: context)
        }
        var request = input
        request.headers.append(IdempotencyKey.fieldName, make())
        return try await next.process(request, context: context)
    }
}
