import CoreNetKitChain
import CoreNetKitEssentials
import Synchronization

/// One command and who waits for its reply.
final class ValkeyCall: Sendable {
    let bytes: Data
    private let waiter = Waiter<RESPValue>()
    private let wasSent = Atomic(false)

    init(_ command: RESPCommand) { bytes = command.bytes }

    /// Whether a server may have it, or parts of it.
    var mayBeSent: Bool { wasSent.load(ordering: .acquiring) }

    /// Whether nobody waits for its reply any more.
    var isOver: Bool { waiter.outcome != nil }

    func send() { wasSent.store(true, ordering: .releasing) }

    /// - Returns: Whether somebody has waited for it.
    func succeed(_ reply: RESPValue) -> Bool { waiter.resume(.success(reply)) }

    /// Ends the wait; whether the server may have done it is said by what was sent.
    func fail(_ code: SharedStoreError.Code, _ message: String) {
        waiter.resume(.failure(SharedStoreError(code, message, mayBeDone: mayBeSent)))
    }

    /// Waits for the reply.
    func reply() async throws(SharedStoreError) -> RESPValue {
        do {
            return try await waiter.value()
        } catch let error as SharedStoreError {
            throw error
        } catch {
            throw SharedStoreError(.cancelled, "the task was cancelled", mayBeDone: mayBeSent)
        }
    }
}
