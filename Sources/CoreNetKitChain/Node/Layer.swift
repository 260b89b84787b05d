/// A step that fits around any chain, whatever its models: timing, tracing, a spinner.
///
/// Layers stand outside of all other nodes: they see the app models.
public protocol Layer: Sendable {
    /// Puts the step around a chain.
    ///
    /// - Parameter next: The chain so far.
    /// - Returns: A node of the same types, usually one that calls `next` once.
    func wrap<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output>
}
