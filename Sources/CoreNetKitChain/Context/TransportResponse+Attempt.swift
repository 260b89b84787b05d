package import CoreNetKitHTTP

private enum AttemptKey: Attributes.Key {
    typealias Value = Int
}

extension TransportResponse {
    /// Which try of the call this answers, counted from 1.
    package var attempt: Int {
        get { attributes[AttemptKey.self] ?? 1 }
        set { attributes[AttemptKey.self] = newValue }
    }
}
