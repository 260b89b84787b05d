package import CoreNetKitChain
package import CoreNetKitHTTP

/// Lets responses of status 200...299 through and turns every other into an error that keeps its body.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. The success of a request for a connection is 101.
package struct StatusNode: PolicyNode {
    package static let position = ChainPosition.status

    package let next: Exchange

    package init(next: Exchange) {
        self.next = next
    }

    /// Passes the request on and looks at the status.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: What belongs to this call alone.
    /// - Returns: A response of status 200...299, or the 101 that was asked for.
    /// - Throws: ``NetworkError`` with the code of the status, or what next throws.
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
            // The error's body is for reading a reason: what cannot be read, or is too long, is left out.
            refused.body = try await withoutBody { try await response.body.collect(limit: 1 << 20) }
        }
        var error = NetworkError(
            .init(status: response.status),
            "\(input.method) \(Redaction.url(input.url, by: context.secrets)) was answered with status \(response.status)",
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
