package import Dispatch

/// Runs the deliveries of an observer on a dispatch queue.
package final class DeliveryExecutor: TaskExecutor {
    /// The executor of the main queue, the default of every observer.
    package static let main = DeliveryExecutor(.main)

    private let queue: DispatchQueue

    package init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    package static func on(_ queue: DispatchQueue) -> DeliveryExecutor {
        queue === DispatchQueue.main ? .main : DeliveryExecutor(queue)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
