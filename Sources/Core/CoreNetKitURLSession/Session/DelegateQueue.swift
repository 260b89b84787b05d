import Dispatch
import Foundation

/// Hands what the session reports to the engine's queue.
///
/// On Linux a bounded number at a time: there the session's thread reads from the connections whatever becomes of the
/// content, so it has to wait while the engine is behind, or the content piles up in memory.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    #if canImport(FoundationNetworking)
        private let queue: DispatchQueue
        private let places = DispatchSemaphore(value: 64)

        init(_ queue: DispatchQueue) {
            self.queue = queue
            super.init()
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            places.wait()
            queue.async { [places] in
                block()
                places.signal()
            }
        }
    #else
        init(_ queue: DispatchQueue) {
            super.init()
            underlyingQueue = queue
            maxConcurrentOperationCount = 1
        }
    #endif
}
