import Dispatch

/// A serial queue as the executor of actors with file work, so that a slow disk never blocks a thread of the task pool.
package final class FileQueue: SerialExecutor {
    private let queue: DispatchQueue

    package init(_ name: String) {
        queue = DispatchQueue(label: "CoreNetKit.\(name)", qos: .utility)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Runs work after everything requested before, without waiting for it.
    package func add(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// Runs file work one item after another on a ``FileQueue``, for code that needs no actor of its own.
package actor FileWorker {
    private let queue: FileQueue

    package init(_ name: String) { queue = FileQueue(name) }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    package func run<Value: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value { try work() }
}
