#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import CoreNetKitHTTP

/// Names one logical call to the server, the same on each of its attempts, so that it is carried out once.
public enum IdempotencyKey {
    /// The field that carries the key.
    public static let fieldName = "Idempotency-Key"

    /// A random UUID.
    public static func random() -> String { UUID().uuidString }
}

/// Gives a request a key that all its attempts share, where the method is not idempotent by itself.
///
/// in and to next: `TransportRequest`, out: what next gives. It stands outside of retry. A key that the request has
/// already is kept: the caller knows of an earlier try, perhaps of an earlier process.
public struct IdempotencyKeyNode<Next: Node>: Node where Next.Input == TransportRequest {
    private let next: Next
    private let make: @Sendable () -> String

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the request.
    ///   - make: Makes the key, once for each call.
    public init(next: Next, make: @escaping @Sendable () -> String = { IdempotencyKey.random() }) {
        self.next = next
        self.make = make
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Adds the key and passes the request on.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: What next throws.
    public func process(_ input: TransportRequest, context: RequestContext) async throws -> Next.Output {
        guard !input.method.isIdempotent, !input.headers.contains(IdempotencyKey.fieldName) else {
            return try await next.process(input, context: context)
        }
        var request = input
        request.headers.append(IdempotencyKey.fieldName, make())
        return try await next.process(request, context: context)
    }
}
