package import CoreNetKit
import CoreNetKitChain
import CoreNetKitSystem

extension Observer {
    /// Runs work in its own task; the observer ends with it, and cancelling the observer cancels the task.
    ///
    /// Results of calls that use a `PushRegistrar` are delivered in the order in which it sent their requests.
    package static func work(_ body: @escaping @Sendable () async throws -> Model) -> Observer<Model> {
        let running = Locked<Task<Void, Never>?>(nil)
        let context = Context<Model>(onCancel: { running.withLock { $0 }?.cancel() })
        let task = Task.detached(priority: .userInitiated) {
            await DeliveryPosition().run(body) { context.complete($0) }
        }
        running.withLock { $0 = task }
        return context
    }
}

extension Client {
    /// Logs a failure that no chain has logged, because nothing was sent.
    package func log(unsent error: any Error, of service: NodeID) {
        guard let log = configuration.log else { return }
        Observer<Void>.emit(error: error).log(service, to: log.sink)
    }
}
