/// What happens to a request while the store of a shared rate, of ``IdempotencyRecords`` or of a ``SharedCacheStorage`` is
/// unavailable.
public enum StoreFailurePolicy: Sendable, Hashable {
    /// Each process sends its share of the rate, so that together they never exceed it, as long as there are at most this
    /// many processes. The number also lets a process take the tokens for 10 ms at once. Records and a cache work within
    /// the process.
    case localShare(of: Int)
    /// Requests pass: for a rate that only limits costs. Records and a cache work within the process.
    case open
    /// Requests fail, with `rateLimited` for a rate and `nodeFailed` otherwise: for limits that must hold.
    case closed

    /// The problem, as the end of a sentence.
    var problem: String? {
        guard case .localShare(let processes) = self, !(1...10_000).contains(processes) else { return nil }
        return "shared by 1...10 000 processes, not \(processes)"
    }
}
