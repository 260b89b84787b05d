/// A step that wraps any chain, whatever its models: for timing, tracing or a progress indicator.
///
/// Layers are outside all other nodes: they see the app models.
public protocol Layer: Sendable {
    /// Wraps a chain with the step.
    ///
    /// - Parameter next: The chain so far.
    /// - Returns: A node of the same types, usually one that calls `next` once.
    func wrap<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output>
}
