/// The address of a loopback server; a port is always chosen by the system.
public enum LoopbackAddress: Sendable, Hashable {
    /// `127.0.0.1`.
    case ipv4
    /// `[::1]`.
    case ipv6
    /// A Unix domain socket at this path; the file is removed when the server stops.
    case unixSocket(String)
}
