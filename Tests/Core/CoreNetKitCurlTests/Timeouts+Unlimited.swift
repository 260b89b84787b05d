import CoreNetKitHTTP

extension Timeouts {
    /// For requests that wait for others in their test, which a busy machine may delay for long.
    static let unlimited = Timeouts(connect: nil, firstByte: nil, idle: nil, total: nil)
}
