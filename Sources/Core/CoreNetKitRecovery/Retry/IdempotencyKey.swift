public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP

/// Names one logical call to the server, the same on each of its attempts, so that it is executed once.
public enum IdempotencyKey {
    /// The field that carries the key.
    public static let fieldName = "Idempotency-Key"

    /// A random UUID.
    public static func random() -> String { UUID().uuidString }
}

/// Adds a key that all attempts share to a request whose method is not idempotent.
///
/// It is outside retry. An existing key is kept, because the caller may repeat an earlier attempt.
struct IdempotencyKeyPolicy: ChainPolicy {
    let make: @Sendable () -> String

    var positions: [ChainPosition] { [.idempotencyKey] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("IdempotencyKeyNode", successors: [next]) { request, context in
            var request = request
            if !request.method.isIdempotent, !request.headers.contains(IdempotencyKey.fieldName) {
                request.headers.append(IdempotencyKey.fieldName, make())
            }
            return try await next.process(request, context: context)
        }
    }
}

extension PolicyHolder {
    /// Gives each call of a method that is not idempotent an `Idempotency-Key`, the same on all its attempts.
    ///
    /// - Parameter make: Makes the key, once per call; an existing key of a request is kept.
    /// - Returns: A changed copy.
    public func idempotencyKey(_ make: @escaping @Sendable () -> String = { IdempotencyKey.random() }) -> Self {
        with(IdempotencyKeyPolicy(make: make))
    }
}
