package import CoreNetKitEssentials

/// The bytes of a connection for a reader that waits in its own frame: a suspended `receive` would keep the frames of all
/// layers below it in memory, some 3 kB per idle connection.
///
/// One reader at a time, and no concurrent `receive`.
package protocol DuplexSource: AnyObject, Sendable {
    /// Takes the bytes that have arrived, or `nil` at the end, as `receive` returns them; no result if the reader has to wait.
    func take() -> Result<Data?, any Error>?

    /// Calls `wake` once, on any thread, as soon as there are bytes or the end.
    ///
    /// - Returns: `false` if there is something already; then `wake` is not called.
    func park(_ wake: @escaping @Sendable () -> Void) -> Bool
}
