public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Makes a call a member of a group, so that the group can end it without cancelling the task of its caller.
///
/// The inner part of the chain runs in a task of its own, because only a task can be cancelled apart from its caller.
struct GroupNode: ChainStep {
    let next: Exchange
    let group: Client.CallGroup

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard let slot = group.enter() else {
            throw NetworkError(.shutDown, "the group of the call was shut down and starts no calls", node: id)
        }
        let task = Task.inside { [next] in try await next.process(input, context: context) }
        group.setCanceller(task, at: slot)
        do {
            let response = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            return try handOver(response, slot)
        } catch {
            throw group.leave(slot) ? CancellationError() : error
        }
    }

    /// The response, whose stream remains a member; throws if the group was cancelled before the response was returned.
    private func handOver(_ response: TransportResponse, _ slot: Client.CallGroup.Slot) throws -> TransportResponse {
        guard case .stream(let stream) = response.body else {
            if group.leave(slot) { throw CancellationError() }
            return response
        }
        let isCancelled = Locked(false)
        let isMember = group.setCanceller(at: slot) {
            isCancelled.withLock { $0 = true }
            stream.close()
        }
        guard isMember else {
            stream.close()
            throw CancellationError()
        }
        var response = response
        // A stream that the group cancels fails, so that partial content is not mistaken for complete content.
        let check: @Sendable () throws -> Void = { if isCancelled.value { throw CancellationError() } }
        response.body = .stream(stream.ending(check: check) { [group] in group.leave(slot) })
        return response
    }
}

extension Client.CallGroup: BuiltInPolicy {
    /// Outside everything else: a call belongs to the group while it waits, too.
    package var nodePositions: [ChainPosition] { [.outside(of: .pace, "group")] }
    package var callScope: PolicyScope { .none }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        GroupNode(next: next, group: self)
    }
}

extension PolicyHolder {
    /// Makes each call one of a group that can end all of them; a call may belong to several.
    public func group(_ group: Client.CallGroup) -> Self { with(group) }
}
