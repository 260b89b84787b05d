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
            if let url = step.url { request.url = url }
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
