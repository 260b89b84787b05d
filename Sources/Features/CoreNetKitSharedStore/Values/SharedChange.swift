/// A change that a store reports.
public enum SharedChange: Sendable, Hashable {
    /// The value of a key was written, was removed or has expired.
    case key(SharedKey)
    /// Anything may have changed.
    case all
}
