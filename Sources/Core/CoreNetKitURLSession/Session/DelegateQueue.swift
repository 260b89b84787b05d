import Dispatch
import Foundation

/// Forwards the session's delegate calls to the engine's queue.
///
/// On Linux only a bounded number at a time: there the session's thread keeps reading from connections, so it has to wait
/// while the engine is behind, or content accumulates in memory.
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
