public import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery

/// A scheme that signs requests.
protocol RequestSigner: Sendable {
    var origins: TokenRefresher.Origins { get }
    var problem: String? { get }
    func signed(_ request: TransportRequest, at date: Date) async throws -> TransportRequest
}

/// Signs each request to the origins of a signer; a class, because calls with the same policy get the same responses.
final class SignaturePolicy: ChainPolicy {
    // Inside everything that adds fields, and inside redirects: each hop is checked and signed by itself.
    static let position = ChainPosition.inside(of: .exchange, "signature")

    private let signer: any RequestSigner

    init(_ signer: any RequestSigner) { self.signer = signer }

    var positions: [ChainPosition] { [Self.position] }
    var scope: PolicyScope { .object(ObjectIdentifier(self)) }
    var problem: String? {
        guard signer.origins.problem != nil else { return signer.problem }
        return "the signature has no valid origins: name its servers, such as origins: [\"https://api.example.com\"]"
    }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("SignatureNode", successors: [next]) { [signer] request, context in
            guard signer.origins.contains(request.url) else { return try await next.process(request, context: context) }
            return try await next.process(try await signer.signed(request, at: parts.date()), context: context)
        }
    }
}

extension PolicyHolder {
    /// Signs each attempt and each hop of a redirect to the signature's origins with AWS Signature Version 4.
    ///
    /// A request that already has an `Authorization` field is unchanged. The last signature counts.
    public func signature(_ signature: AWSSignature) -> Self {
        without(SignaturePolicy.position).with(SignaturePolicy(signature))
    }

    /// Signs each attempt and each hop of a redirect to the signature's origins by RFC 9421; the last signature counts.
    public func signature(_ signature: HTTPMessageSignature) -> Self {
        without(SignaturePolicy.position).with(SignaturePolicy(signature))
    }
}

extension NetworkError {
    /// A request that cannot be signed.
    static func cannotSign(_ message: String, _ code: Code = .invalidRequest) -> NetworkError {
        NetworkError(code, message, node: "SignatureNode")
    }
}

extension TransportRequest {
    func target() throws(NetworkError) -> RequestTarget {
        guard let target = RequestTarget(urlText) else {
            throw .cannotSign("only an absolute http or https URL can be signed", .invalidURL)
        }
        return target
    }

    /// The SHA-256 of the content; a file or a stream is read for it, and again for sending.
    func contentHash() async throws -> ContentHash {
        guard body.isReplayable else {
            throw NetworkError.cannotSign("the signature covers the content, and this stream can be read only once")
        }
        return .sha256(try await body.collect())
    }
}
