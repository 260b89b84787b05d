/// The state of an ``EventStream``.
public enum EventStreamState: Sendable, Hashable {
    /// A new connection is being opened.
    case connecting
    /// Events may arrive.
    case open
    /// The next connection is opened after this time.
    case waiting(Duration)
    /// No more events arrive.
    case closed
}
