/// Which requests a loopback server keeps for later inspection.
public enum LoopbackRecording: Sendable, Hashable {
    /// Every request.
    case all
    /// The newest requests, at most this many.
    case last(Int)
    /// None: for benchmarks.
    case off
}
