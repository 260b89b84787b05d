package import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Turns a successful response of another media type into an error that keeps it.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. Responses without content or without a type pass. A file
/// is written beside its target and moved there when its type is known, so that a refused one replaces nothing.
struct AcceptedTypeNode: ChainStep {
    let next: Exchange
    let types: [TransportResponse.AcceptedType]

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard case .file(let target) = input.delivery, target.isFileURL else {
            let response = try await next.process(input, context: context)
            if let refusal = types.refusal(of: response, to: input, node: id) { throw refusal }
            return response
        }
        return try await load(input, to: target, context)
    }

    private func load(
        _ input: TransportRequest,
        to target: URL,
        _ context: RequestContext
    ) async throws -> TransportResponse {
        let place = target.path(percentEncoded: false)
        let draft = "\(place).\(UInt32.random(in: .min ... .max)).unchecked"
        let (files, worker) = (PosixFiles(), FileWorker("accepting"))
        do {
            var request = input
            request.delivery = .file(URL(filePath: draft))
            var response = try await next.process(request, context: context)
            if let refusal = types.refusal(of: response, to: input, node: id) { throw refusal }
            if case .file(let written) = response.body, written.path(percentEncoded: false) == draft {
                try await worker.run { () throws(FileError) in try files.rename(draft, to: place) }
                response.body = .file(target)
            }
            return response
        } catch {
            await worker.run { try? files.remove(draft) }
            guard let failed = error as? FileError else { throw error }
            let reason = "the file cannot be moved to its target: \(failed)"
            throw NetworkError(.fileFailed, reason, node: id, cause: failed)
        }
    }
}

extension [TransportResponse.AcceptedType] {
    /// The error for a successful response of another type, whose content is ended.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: Its request.
    ///   - node: The node that refuses it.
    /// - Returns: `nil` if the response is accepted, has no content or no type, or is an error anyway.
    package func refusal(
        of response: TransportResponse,
        to request: TransportRequest,
        node: NodeID
    ) -> NetworkError? {
        guard let type = response.headers["Content-Type"], !type.isEmpty, request.method != .head,
            200...299 ~= response.status, ![204, 205].contains(response.status), response.body.data?.isEmpty != true,
            !contains(where: { $0.takes(type) })
        else { return nil }
        let wanted = map(\.description).joined(separator: " or ")
        let failed = FailedResponse(response)
        let error = NetworkError(
            .decodingFailed,
            "expected \(wanted), got \(failed.origin)",
            node: node,
            response: failed
        )
        if case .stream(let stream) = response.body { stream.close() }
        return error.of(attempt: response.attempt)
    }
}

extension FailedResponse {
    /// Type, status and URL, without secrets: enough to find the source of unexpected content.
    var origin: String {
        let type = headers["Content-Type"].map(TransportResponse.AcceptedType.essence) ?? ""
        let hint = type == "text/html" ? " (a login page?)" : ""
        let shown = type.isEmpty ? "no media type" : type + hint
        return "\(shown), status \(status) from \(Redaction.url(url, by: secrets))"
    }
}
