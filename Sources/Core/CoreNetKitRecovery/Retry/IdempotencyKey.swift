import CoreNetKitEssentials

/// Names one logical call to the server, the same on each of its attempts, so that it is executed once.
public enum IdempotencyKey {
    /// The field that carries the key.
    public static let fieldName = "Idempotency-Key"

    /// A random UUID.
    public static func random() -> String { UUID().uuidString }
}
