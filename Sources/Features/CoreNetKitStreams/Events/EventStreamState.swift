/// What an ``EventStream`` is doing.
public enum EventStreamState: Sendable, Hashable {
    /// A connection is being made again.
    case connecting
    /// Events may come.
    case open
    /// The next connection is made after this time.
    case waiting(Duration)
    /// No more events come.
    case closed
}
