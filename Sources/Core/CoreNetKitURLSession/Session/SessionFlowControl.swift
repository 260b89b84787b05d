import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The control that a reader of chunks has over the exchange.
struct SessionFlowControl: Sendable {
    private let exchange: SessionExchange

    init(_ exchange: SessionExchange) { self.exchange = exchange }

    func cancel() {
        exchange.engine.queue.async { exchange.cancel() }
    }

    /// Asks the platform to pause or resume reading from the connection.
    ///
    /// On Linux a suspended task loses its connection and starts again, so there the chunks go to a file instead.
    func setPaused(_ isPaused: Bool) {
        #if !canImport(FoundationNetworking)
            exchange.engine.queue.async { exchange.setSuspended(isPaused) }
        #endif
    }
}

extension SessionExchange {
    #if canImport(FoundationNetworking)
        var isSuspended: Bool { false }
    #else
        var isSuspended: Bool { task?.state == .suspended }

        func setSuspended(_ isSuspended: Bool) {
            guard stage == .receiving, let task, (task.state == .suspended) != isSuspended else { return }
            if isSuspended { task.suspend() } else { task.resume() }
            times.activity = .now
            timer?.schedule()
        }
    #endif
}
