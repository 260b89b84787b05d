public import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Adds the cookies of a jar to each hop of a request, and stores those of each response.
///
/// An existing `Cookie` field is kept, and its names take precedence. `Set-Cookie` counts whatever the status, but not
/// after the end of the session in which the call began.
package struct CookieNode: PolicyNode {
    package static let position = ChainPosition.cookies

    package let next: Exchange
    let jar: CookieJar
    let transport: any Transport

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        // A certificate also identifies a user. Credentials in fields do not: a server sets a cookie in exchange for them.
        let partition = context.partition.adding(certificate: transport.clientIdentity(for: input.url) ?? "")
        var request = input
        let cookies = jar.requestCookies(for: input.url, besides: input.headers["Cookie"], of: partition)
        if let field = cookies.field { request.headers["Cookie"] = field }
        // Checked after the jar was read: a sign-out first ends the session and then empties the jar.
        let isOver = context.user.hasChanged
        do {
            let response = try await next.process(request, context: context)
            if !isOver { store(response.headers, from: response.url, since: cookies, context) }
            return response
        } catch let error as NetworkError {
            // The content failed, but the head counts.
            if !isOver, let head = error.response { store(head.headers, from: head.url, since: cookies, context) }
            throw error
        }
    }

    private func store(
        _ headers: Headers,
        from url: URL,
        since cookies: CookieJar.RequestCookies,
        _ context: RequestContext
    ) {
        let refusals = jar.take(headers[values: "Set-Cookie"], from: url, of: context.partition, since: cookies)
        let refused = refusals.compactMap(\.self)
        guard !refused.isEmpty else { return }
        let reasons = refused.map(\.rawValue).joined(separator: ", ")
        context.record(.warning, id, "\(refused.count) cookies refused: \(reasons)")
    }
}

extension Partition {
    /// The partition for calls that present a client certificate.
    fileprivate func adding(certificate: String) -> Partition {
        certificate.isEmpty ? self : combined(with: Partition(Self.certificate + certificate))
    }

    private static let certificate = "certificate "

    /// Whether a name is that of the partition, with or without a certificate.
    static func isName(_ name: String, of partition: Partition) -> Bool {
        guard name.hasPrefix(partition.name) else { return false }
        let rest = name.dropFirst(partition.name.count)
        return rest.isEmpty || rest.drop { $0.isNumber }.hasPrefix(":" + certificate)
    }
}

struct CookiePolicy: ChainPolicy {
    let jar: CookieJar

    var positions: [ChainPosition] { [CookieNode.position] }
    var scope: PolicyScope { .object(ObjectIdentifier(jar)) }

    var keeper: (any SessionDataOwner)? { jar }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        CookieNode(next: next, jar: jar, transport: parts.transport)
    }
}

extension PolicyHolder {
    /// Sends the cookies of a jar with each hop of a request, and stores those of each response.
    ///
    /// Each partition of the client's calls has its own cookies.
    public func cookies(_ jar: CookieJar) -> Self { with(CookiePolicy(jar: jar)) }
}
