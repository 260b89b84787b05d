/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's content that the system has accepted.
    public var sent: Int64 = 0
    /// The size of the request's content; `nil` if unknown.
    public var sentTotal: Int64?
    /// Received bytes of the response's content; of a resumed download including those that were already there.
    public var received: Int64 = 0
    /// The size of the response's content; `nil` if unknown.
    public var receivedTotal: Int64?
    /// Bytes a second in both directions over the last few seconds.
    public var rate: Double = 0
    /// Whether the transfer has ended.
    public var isFinished = false

    /// Creates the progress of a transfer that has not begun.
    package init() {}

    /// The completed fraction, 0...1; of the response if its size is known, otherwise of the request; `nil` if neither
    /// is known.
    ///
    /// If both are large it goes from 0 to 1 twice: use ``sentFraction`` for an upload.
    public var fraction: Double? {
        if let receivedTotal, receivedTotal > 0, received > 0 {
            return min(1, Double(received) / Double(receivedTotal))
        }
        if let sentTotal, sentTotal > 0 { return min(1, Double(sent) / Double(sentTotal)) }
        return receivedTotal.map { $0 == 0 ? 1 : 0 }
    }

    /// The completed fraction of the request, 0...1; `nil` if its size is unknown, 1 if it has no content.
    public var sentFraction: Double? {
        sentTotal.map { $0 > 0 ? min(1, Double(sent) / Double($0)) : 1 }
    }
}
