import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

struct UploadRequest: ChainPolicy {
    let step: UploadStep
    let body: RequestBody
    let monitor: ExchangeMonitor
    /// Whether the step goes to another origin than the upload's own route.
    private let isForeign = Locked(false)
    /// The first failure below the token node, and whether it tried a second exchange.
    private let state = Locked<(failure: NetworkError?, isRenewed: Bool)>((nil, false))

    /// Whether a token was refused and renewed, and the bytes were not sent with the new one.
    var isRenewed: Bool { state.withLock(\.isRenewed) }

    private static let stepping = ChainPosition.inside(of: .headers, "upload")
    private static let holding = ChainPosition.inside(of: .token, "upload")
    private static let stripping = ChainPosition.innermost(of: .exchange, "upload")

    var positions: [ChainPosition] { [Self.stepping, Self.holding, Self.stripping] }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        if position == Self.stepping { return prepare(before: next, with: parts) }
        if position == Self.holding { return hold(before: next) }
        return StreamRequest.originNode("UploadOriginNode", before: next) { [isForeign] _ in isForeign.withLock { $0 } }
    }

    /// Inside the token node: bytes are not sent again with a new token, because the server may have some of them.
    private func hold(before next: Exchange) -> Exchange {
        AnyNode("UploadTokenNode", successors: [next]) { request, context in
            let failure = state.withLock { state -> NetworkError? in
                if state.failure != nil, !step.body.isEmpty { state.isRenewed = true }
                return state.failure
            }
            if let failure, isRenewed { throw failure }
            do {
                return try await next.process(request, context: context)
            } catch let failure as NetworkError {
                state.withLock { $0.failure = failure }
                throw failure
            }
        }
    }

    private func prepare(before next: Exchange, with parts: ChainParts) -> Exchange {
        let canReport = parts.transport.capabilities.contains(.progress)
        return AnyNode("UploadNode", successors: [next]) { request, context in
            guard request.body.isEmpty else {
                let message = "an upload sends its own content: leave set(body:) out, or send that with build()"
                throw NetworkError(.invalidChain, message, node: "UploadNode")
            }
            var (request, context) = (request, context)
            request.method = step.method
            // A location may be relative or on another origin: secrets stay with the first server.
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
            context.removeStandardDeadline()
            return try await next.process(request, context: context)
        }
    }
}
