package import CoreNetKitChain
package import CoreNetKitHTTP

/// Passes responses of status 200...299 and turns every other one into an error that keeps its body.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. The success of a request for a connection is 101.
package struct StatusNode: PolicyNode {
    package static let position = ChainPosition.status

    package let next: Exchange

    package init(next: Exchange) {
        self.next = next
    }

    /// Passes the request on and checks the status.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: The data of this call.
    /// - Returns: A response of status 200...299, or the requested 101.
    /// - Throws: ``NetworkError`` with the code of the status, or an error of the next node.
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
        if case .stream = response.body {
            // The error's body serves to find the reason: an unreadable or too long body is omitted.
            refused.body = try await withoutBody { try await response.body.collect(limit: 1 << 20) }
        }
        var error = NetworkError(
            .init(status: response.status),
            "\(input.method) \(Redaction.url(input.url, by: context.secrets)) got a response with status \(response.status)",
            node: id,
            response: refused
        )
        error.timings = response.timings
        context.record(.warning, id, "status \(response.status), \(refused.body.count) bytes")
        return error
    }

    private func withoutBody<Bytes: RangeReplaceableCollection>(_ read: () async throws -> Bytes) async throws -> Bytes
    {
        do {
            return try await read()
        } catch let error as CancellationError {
            throw error
        } catch {
            return Bytes()
        }
    }
}
