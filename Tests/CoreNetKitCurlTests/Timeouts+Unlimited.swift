import CoreNetKitHTTP

extension Timeouts {
    /// For requests that wait for others of their test, which a busy machine may take long to make.
    static let unlimited = Timeouts(connect: nil, firstByte: nil, idle: nil, total: nil)
}
