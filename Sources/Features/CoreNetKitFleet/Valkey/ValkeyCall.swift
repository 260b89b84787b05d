import CoreNetKitChain
import CoreNetKitEssentials
import Synchronization
import CoreNetKitSystem

/// A command and its pending reply.
final class ValkeyCall: Sendable {
    let bytes: Data
    private let waiter = Waiter<RESPValue>()
    private let wasSent = Atomic(false)

    init(_ command: RESPCommand) { bytes = command.bytes }

    /// Whether the server may have received the command or a part of it.
    var mayBeSent: Bool { wasSent.load(ordering: .acquiring) }

    /// Whether the call has ended, so that its reply is no longer needed.
    var isOver: Bool { waiter.outcome != nil }

    func send() { wasSent.store(true, ordering: .releasing) }

    /// - Returns: Whether the call was still waiting for its reply.
    func succeed(_ reply: RESPValue) -> Bool { waiter.resume(.success(reply)) }

    /// Ends the call with an error, which says whether the server may have executed the command.
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
