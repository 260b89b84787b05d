import CoreNetKitEssentials
import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Turns the request of a chain into one step of an upload.
struct UploadRequest: ChainPolicy {
    let step: UploadStep
    let body: RequestBody
    let monitor: ExchangeMonitor
    /// Whether the step goes to another server than the one that the upload was asked of.
    private let isForeign = Locked(false)

    private static let stepping = ChainPosition.inside(of: .headers, "upload")
    private static let stripping = ChainPosition.inside(of: .exchange, "upload")

    init(step: UploadStep, body: RequestBody, monitor: ExchangeMonitor) {
        (self.step, self.body, self.monitor) = (step, body, monitor)
    }

    var positions: [ChainPosition] { [Self.stepping, Self.stripping] }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        position == Self.stepping ? turn(before: next, with: parts) : strip(before: next)
    }

    /// Next to the wire, where nodes in between have added their credentials.
    private func strip(before next: Exchange) -> Exchange {
        AnyNode("UploadOriginNode", successors: [next]) { request, context in
            guard isForeign.withLock({ $0 }) else { return try await next.process(request, context: context) }
            var request = request
            request.headers.removeSecrets(by: context.secrets)
            for name in context.credentialFields { request.headers.remove(name) }
            return try await next.process(request, context: context)
        }
    }

    private func turn(before next: Exchange, with parts: ChainParts) -> Exchange {
        let canReport = parts.transport.capabilities.contains(.progress)
        return AnyNode("UploadNode", successors: [next]) { request, context in
            var (request, context) = (request, context)
            request.method = step.method
            // A location may be relative, and it may be somebody else's: what is secret stays with the first server.
            if let place = step.url, let url = URL(string: place.relativeString, relativeTo: request.url)?.absoluteURL {
                if Origin(url) != Origin(request.url) {
                    isForeign.withLock { $0 = true }
                    request.headers.removeSecrets(by: context.secrets)
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
