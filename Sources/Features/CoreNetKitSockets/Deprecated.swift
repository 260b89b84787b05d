// Names of before 1.0, each with a fix-it.

/// The former name of ``SocketStatistics``.
@available(*, deprecated, renamed: "SocketStatistics")
public typealias SocketFigures = SocketStatistics

extension Socket {
    /// The former name of ``Socket/statistics``.
    @available(*, deprecated, renamed: "statistics")
    public var figures: SocketStatistics { statistics }
}

extension SocketOptions {
    /// The former name of ``SocketOptions/closeTimeout``.
    @available(*, deprecated, renamed: "closeTimeout")
    public var closePatience: Duration {
        get { closeTimeout }
        set { closeTimeout = newValue }
    }
}

extension SocketKeepAlive {
    /// The former name of ``SocketKeepAlive/timeout``.
    @available(*, deprecated, renamed: "timeout")
    public var patience: Duration {
        get { timeout }
        set { timeout = newValue }
    }
}
