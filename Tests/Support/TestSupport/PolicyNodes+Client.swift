package import CoreNetKitRecovery

// Nodes of policies in front of any node, with the parts of a client.

extension RetryNode {
    package init(next: Exchange, policy: RetryPolicy = .standard, client: Client = .shared) {
        self.init(next: next, policy: policy, parts: client.configuration.parts)
    }
}

extension TokenNode {
    package init(next: Exchange, refresher: TokenRefresher, client: Client = .shared) {
        self.init(next: next, refresher: refresher, parts: client.configuration.parts)
    }
}

extension HedgeNode {
    package init(next: Exchange, hedger: Hedger, client: Client = .shared) {
        self.init(next: next, hedger: hedger, parts: client.configuration.parts)
    }
}

extension CoalescingNode {
    package init(next: Exchange, by fields: [String]?, client: Client = .shared) {
        self.init(next: next, by: fields, scope: [], parts: client.configuration.parts)
    }
}
