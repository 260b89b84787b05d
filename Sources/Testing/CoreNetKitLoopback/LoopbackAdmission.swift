/// How a server treats a new connection.
public enum LoopbackAdmission: Sendable, Hashable {
    /// Serves it.
    case accept
    /// Closes it at once.
    case close
    /// Resets it at once (RST).
    case reset
    /// Reads nothing and sends nothing until the client is gone.
    case stall
}
