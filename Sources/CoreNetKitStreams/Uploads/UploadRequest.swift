#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP

/// Turns the request of a chain into one step of an upload.
struct UploadRequest: ChainPolicy {
    let step: UploadStep
    let body: RequestBody
    let monitor: ExchangeMonitor

    var positions: [ChainPosition] { [.inside(of: .headers, "upload")] }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        let canReport = parts.transport.capabilities.contains(.progress)
        return AnyNode("UploadNode", successors: [next]) { request, context in
            var (request, context) = (request, context)
            request.method = step.method
            // A location may be relative, and it may be somebody else's: what is secret stays with the first server.
            if let place = step.url, let url = URL(string: place.relativeString, relativeTo: request.url)?.absoluteURL {
                if Origin(url) != Origin(request.url) {
                    for name in request.headers.map(\.name) where Headers.isSecret(name) {
                        request.headers.remove(name)
                    }
                }
                request.url = url
            }
            request.headers.merge(step.headers)
            if step.purpose == .append || !step.body.isEmpty {
                request.body = body
                if !request.headers.contains("Content-Type") {
                    request.headers["Content-Type"] = "application/octet-stream"
                }
            }
            if canReport { request.monitor = monitor }
            if context.hasStandardDeadline { context.deadline = nil }
            return try await next.process(request, context: context)
        }
    }
}

/// What a chain of an upload gives: any response, whatever its status.
struct UploadPayload: ResponsePayload, RawDecodable, DTODecodable {
    typealias Raw = UploadPayload
    typealias DTO = UploadPayload
    static let accept = "*/*"

    let answer: UploadAnswer
    let body: Data

    init(response: TransportResponse) {
        answer = UploadAnswer(
            status: response.status,
            headers: response.headers,
            interim: response.interim,
            url: response.url
        )
        body = response.body.data ?? Data()
    }

    static func from(raw: UploadPayload) -> UploadPayload { raw }
    static func from(dto: UploadPayload) -> UploadPayload { dto }
}
