public import CoreNetKitChain
import CoreNetKitHTTP

/// Responds to a server's Digest challenge; next is called once more after a 401 with one.
///
/// It is inside redirects, because a digest is valid for one path. An existing `Authorization` field is unchanged.
struct DigestNode: ChainStep {
    let next: Exchange
    let credentials: DigestCredentials

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard credentials.origins.contains(input.url), !input.headers.contains("Authorization") else {
            return try await next.process(input, context: context)
        }
        let first = credentials.authorization(for: input)
        var request = input
        if let first { request.headers["Authorization"] = first.field }
        let response = try await next.process(request, context: context)
        guard response.status == 401, let challenge = DigestChallenge.first(in: response.headers) else {
            return response
        }
        credentials.store(challenge, for: input)
        // The same nonce again is a rejection; a new one may mean that the old one was stale, even if the server does
        // not say so.
        let isRejected = first.map { $0.nonce == challenge.nonce && !challenge.isStale } ?? false
        guard !isRejected, input.body.isReplayable, let second = credentials.authorization(for: input) else {
            if isRejected { credentials.forgetServer(of: input) }
            return response
        }
        if case .stream(let stream) = response.body { stream.close() }
        request.headers["Authorization"] = second.field
        let last = try await next.process(request, context: context.nested)
        if last.status == 401 { credentials.forgetServer(of: input) }
        return last
    }
}

extension DigestCredentials: ChainPolicy {
    var positions: [ChainPosition] { [.inside(of: .redirect, "digest")] }
    /// Calls with the same credentials get the same response.
    var scope: PolicyScope { .object(ObjectIdentifier(self)) }
    var problem: String? {
        origins.problem.map { _ in
            "the credentials have no origins: name the servers, such as origins: [\"https://camera.local\"]"
        }
    }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        DigestNode(next: next, credentials: self)
    }
}

extension PolicyHolder {
    /// Authorizes requests with name and password by the scheme Digest, for cameras, routers and intranets.
    ///
    /// The password itself is never sent. The first request to a server is rejected with a 401 challenge and sent again;
    /// later ones of this client include the digest from the start, so set it on a client and not on each builder. MD5,
    /// SHA-256 and their session variants are supported; `auth-int` is not. The last setting counts; a request that
    /// already has an `Authorization` field is unchanged.
    ///
    /// - Parameters:
    ///   - user: The name.
    ///   - password: The password.
    ///   - origins: The servers that may ask. Others get no digest, because its receiver can test passwords against it.
    /// - Returns: A changed copy.
    /// - SeeAlso: [RFC 7616](https://www.rfc-editor.org/rfc/rfc7616)
    public func authorize(user: String, password: String, byDigestTo origins: TokenRefresher.Origins) -> Self {
        authorize(digest: DigestCredentials(user: user, password: password, origins: origins))
    }

    func authorize(digest credentials: DigestCredentials) -> Self {
        without(.inside(of: .redirect, "digest")).with(credentials)
    }
}
