package import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Turns every status outside 200...299 into an error; a client has it unless ``PolicyHolder/without(_:)`` removes it.
struct StatusPolicy: ChainPolicy {
    var positions: [ChainPosition] { [StatusNode.position] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        StatusNode(next: next)
    }
}

/// Passes responses of status 200...299 and turns every other one into an error with its body.
///
/// The body of a stream is read for the error, up to 1 MiB and for up to ``bodyTimeout``. If it is longer, slower or broken,
/// the error has the body so far, and for a broken one the failure as its cause.
/// If the request asks for a connection, 101 is the success.
package struct StatusNode: PolicyNode {
    package static let position = ChainPosition.status
    /// The time limit for the body of a refused stream, so that a slow server does not hold up the call.
    static let bodyTimeout = Duration.seconds(10)

    /// The number of bytes up to which a body is read for its problem details.
    private static let problemLimit = 64 << 10

    package let next: Exchange

    package init(next: Exchange) { self.next = next }

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        let response = try await next.process(input, context: context)
        if 200...299 ~= response.status || (response.status == 101 && input.delivery == .duplex) { return response }
        throw try await refusal(response, of: input, context)
    }

    private func refusal(
        _ response: TransportResponse,
        of input: TransportRequest,
        _ context: RequestContext
    ) async throws -> NetworkError {
        var refused = FailedResponse(response)
        var cause: (any Error)? = response.contentFailure
        if case .stream(let stream) = response.body {
            cause = try await read(stream, into: &refused.body, context.clock)
        }
        var error = NetworkError(
            .init(status: response.status),
            "\(input.method) \(Redaction.url(input.url, by: context.secrets)) got a response with status \(response.status)",
            node: id,
            response: refused,
            cause: cause
        )
        error.timings = response.timings
        if refused.body.count <= Self.problemLimit,
            let summary = error.problemDetails?.summary(by: context.secrets)
        {
            error.message += ": \(summary)"
        }
        let end = cause == nil ? "" : " of content that failed"
        context.record(.warning, id, "status \(response.status), \(refused.body.count) bytes\(end)")
        return error
    }

    /// Reads the body of an error, which is optional: without it the error is the same.
    ///
    /// The time limit is checked with each chunk; between two chunks the transport's own idle limit applies.
    /// - Returns: Why the body broke; `nil` if it did not.
    private func read(
        _ stream: ResponseStream,
        into body: inout Data,
        _ clock: CallClock
    ) async throws -> (any Error)? {
        let (end, limit) = (clock.now + Self.bodyTimeout, 1 << 20)
        do {
            for try await chunk in stream {
                body += chunk.prefix(limit - body.count)
                guard body.count < limit, clock.now < end else {
                    stream.close()
                    return nil
                }
            }
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            return (error as? NetworkError)?.cause ?? error
        }
    }
}
