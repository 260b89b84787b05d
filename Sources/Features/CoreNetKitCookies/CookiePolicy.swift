public import CoreNetKitChain

/// Sends and stores cookies.
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
    /// - Parameter jar: The jar; `nil` disables cookies, as without this verb.
    /// - Returns: A changed copy.
    public func cookies(in jar: CookieJar?) -> Self {
        with(jar.map { CookiePolicy(jar: $0) }, at: CookieNode.position)
    }
}
