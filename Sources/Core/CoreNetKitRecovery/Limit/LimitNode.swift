public import CoreNetKitChain
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Limits how many calls run at once and makes the others wait.
///
/// It is outside retry: a repeated call keeps its place, so that an outage does not admit more calls. Calls of a token refresh
/// do not wait, because the calls that hold the places wait for the refresh.
package struct LimitNode: PolicyNode {
    package static let position = ChainPosition.limit

    package let next: Exchange
    let limiter: ConcurrencyLimiter

    /// Waits for a place and passes the request on; after the deadline it throws `deadlineExceeded` with phase `queue`.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard CallUser.refreshers.isEmpty else { return try await next.process(input, context: context) }
        let host = limiter.host(of: input)
        if let caller = limiter.enter(host) { try await limiter.wait(caller, host, context) }
        let start = limiter.start(on: context.clock)
        do {
            var response = try await next.process(input, context: context)
            limiter.add(.response, since: start, on: context.clock)
            if case .stream(let stream) = response.body {
                response.body = .stream(stream.ending { limiter.release(host) })
            } else {
                limiter.release(host)
            }
            return response
        } catch {
            limiter.add(AdaptiveLimit.End(error), since: start, on: context.clock)
            limiter.release(host)
            throw error
        }
    }
}

extension AdaptiveLimit.End {
    fileprivate init(_ error: any Error) {
        let error = error as? NetworkError
        let isRefused = error?.status.flatMap(TransientStatus.init(rawValue:))?.saysNothingWasDone == true
        self = isRefused || error?.code == .timedOut || error?.code == .deadlineExceeded ? .overload : .other
    }
}

extension ResponseStream {
    /// The same stream, which fails if `check` throws after a chunk; `end` is called once, when it has ended, failed or been
    /// released.
    package func ending(
        check: @escaping @Sendable () throws -> Void = {},
        _ end: @escaping @Sendable () -> Void
    ) -> ResponseStream {
        let pending = Locked<(@Sendable () -> Void)?>(end)
        let finish: @Sendable () -> Void = { pending.withLock { $0.take() }?() }
        return ResponseStream(
            next: {
                do {
                    var iterator = makeAsyncIterator()
                    let chunk = try await iterator.next()
                    try check()
                    if chunk == nil { finish() }
                    return chunk
                } catch {
                    finish()
                    throw error
                }
            },
            cancel: {
                close()
                finish()
            },
            ending: { ending }
        )
    }
}

extension ConcurrencyLimiter: BuiltInPolicy {
    package var nodePositions: [ChainPosition] { [LimitNode.position] }
    package var callScope: PolicyScope { .none }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        LimitNode(next: next, limiter: self)
    }
}

extension PolicyHolder {
    /// Limits how many calls run at once and makes the others wait.
    public func limit(_ limiter: ConcurrencyLimiter) -> Self { with(limiter) }
}
