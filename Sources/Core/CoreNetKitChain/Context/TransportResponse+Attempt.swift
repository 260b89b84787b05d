package import CoreNetKitHTTP

private enum AttemptKey: Attributes.Key {
    typealias Value = Int
}

extension TransportResponse {
    /// The number of the attempt that this response belongs to, counted from 1.
    package var attempt: Int {
        get { attributes[AttemptKey.self] ?? 1 }
        set { attributes[AttemptKey.self] = newValue }
    }
}
