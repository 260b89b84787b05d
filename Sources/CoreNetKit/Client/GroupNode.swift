public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Makes a call a member of a group, so that the group can end it without cancelling the task of its caller.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. The inner part of the chain runs in a task of its own.
struct GroupNode: ChainStep {
    let next: Exchange
    let group: Client.CallGroup

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        let work = Waiter<TransportResponse>()
        let isCancelled = Locked(false)
        let cancel: @Sendable () -> Void = {
            isCancelled.withLock { $0 = true }
            work.resume(.failure(CancellationError()))
        }
        guard let number = group.enter(cancel) else {
            throw NetworkError(
                .shutDown,
                "the group of the call was shut down and starts no calls",
                node: id
            )
        }
        let task = start(input, context, for: work)
        do {
            var response = try await work.value()
            if case .stream(let stream) = response.body {
                response.body = .stream(watch(stream, number, isCancelled))
                // Looked at behind the change: who cancels later closes the stream.
                if isCancelled.withLock({ $0 }) { stream.close() }
            } else {
                group.leave(number)
            }
            // The group may have come between the response and its way to here.
            if isCancelled.withLock({ $0 }) { throw CancellationError() }
            return response
        } catch {
            task.cancel()
            group.leave(number)
            throw error
        }
    }

    private func start(
        _ input: TransportRequest,
        _ context: RequestContext,
        for work: Waiter<TransportResponse>
    ) -> Task<Void, Never> {
        Task.here { [next] in
            do {
                let response = try await next.process(input, context: context)
                // A call that was cancelled in the meantime gets no stream.
                if !work.resume(.success(response)), case .stream(let stream) = response.body { stream.close() }
            } catch {
                work.resume(.failure(error))
            }
        }
    }

    /// The same stream, a member of the group until it has ended: one that the group cancels fails, so that partial
    /// content is not mistaken for the whole.
    private func watch(_ stream: ResponseStream, _ number: UInt64, _ isCancelled: Locked<Bool>) -> ResponseStream {
        group.replace(number) {
            isCancelled.withLock { $0 = true }
            stream.close()
        }
        let end: @Sendable () -> Void = { [group] in group.leave(number) }
        return ResponseStream(
            next: {
                do {
                    var iterator = stream.makeAsyncIterator()
                    let chunk = try await iterator.next()
                    if isCancelled.withLock({ $0 }) { throw CancellationError() }
                    if chunk == nil { end() }
                    return chunk
                } catch {
                    end()
                    throw error
                }
            },
            cancel: {
                stream.close()
                end()
            },
            ending: { stream.ending }
        )
    }
}

extension Client.CallGroup: ChainPolicy {
    /// Outside of everything: a call belongs to the group while it waits, too.
    public var positions: [ChainPosition] { [.outside(of: .pace, "group")] }
    /// Responses do not depend on it.
    public var scope: PolicyScope { .none }

    /// Makes the node.
    ///
    /// - Parameters:
    ///   - position: The position.
    ///   - next: The node after it.
    ///   - parts: The transport, the clock and the shared objects of the chain.
    /// - Returns: The node.
    public func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        GroupNode(next: next, group: self)
    }
}

extension PolicyHolder {
    /// Makes each call one of a group that can end all of them; a call may belong to several.
    public func group(_ group: Client.CallGroup) -> Self { with(group) }
}
