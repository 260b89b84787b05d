package import CoreNetKitEssentials

/// The bytes of a connection for a reader that waits in its own frame: a suspended `receive` keeps the frames of all layers
/// below it in memory, some 3 kB for each idle connection.
///
/// One reader at a time, and no `receive` beside it.
package protocol DuplexSource: AnyObject, Sendable {
    /// Takes what has come, `nil` at the end as `receive` returns it; no result where a reader has to wait.
    func take() -> Result<Data?, any Error>?

    /// Calls `wake` once, on any thread, as soon as there is something to take, the end too.
    ///
    /// - Returns: `false` where there is something already; then `wake` is not called.
    func park(_ wake: @escaping @Sendable () -> Void) -> Bool
}
