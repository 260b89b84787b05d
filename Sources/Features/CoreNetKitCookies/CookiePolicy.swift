public import CoreNetKitChain

/// Sends and keeps cookies.
struct CookiePolicy: ChainPolicy {
    let jar: CookieJar

    var positions: [ChainPosition] { [CookieNode.position] }
    var scope: PolicyScope { .object(ObjectIdentifier(jar)) }

    var keeper: (any SessionKeeper)? { jar }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        CookieNode(next: next, jar: jar, transport: parts.transport)
    }
}

extension PolicyHolder {
    /// Sends the cookies of a jar with each hop of a request, and keeps those of each response.
    ///
    /// Each partition of the client's calls has cookies of its own.
    /// - Parameter jar: Where the cookies are; `nil` neither sends nor keeps any, as without this verb.
    /// - Returns: A changed copy.
    public func cookies(in jar: CookieJar?) -> Self {
        with(jar.map { CookiePolicy(jar: $0) }, at: CookieNode.position)
    }
}
