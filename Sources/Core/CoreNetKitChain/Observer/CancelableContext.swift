/// A call that can be cancelled, whatever its model: for requests of different types in one list.
public protocol CancelableContext: Sendable {
    /// Cancels the work; a second call does nothing.
    ///
    /// - Returns: The receiver.
    @discardableResult
    func cancel() -> Self
}
