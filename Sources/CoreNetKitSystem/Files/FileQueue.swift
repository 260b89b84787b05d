import Dispatch

/// Where actors do file work: a serial queue of its own, so that a slow disk never holds a thread of the tasks.
///
/// An actor names it as its executor:
///
///     let queue = FileQueue("outbox")
///     nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
package final class FileQueue: SerialExecutor {
    private let queue: DispatchQueue

    package init(_ name: String) {
        queue = DispatchQueue(label: "CoreNetKit.\(name)", qos: .utility)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// Runs pieces of file work one after the other on a ``FileQueue``, for those who need no actor of their own.
package actor FileWorker {
    private let queue: FileQueue

    package init(_ name: String) { queue = FileQueue(name) }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Runs a piece of work after those that were asked for before.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try work()
    }
}
