package import CoreNetKitChain

/// Where several processes count the requests of one rate.
package protocol RateSharing: Sendable {
    /// What is wrong with the settings, on one line.
    var problem: String? { get }

    /// Makes the node that waits for the turn of a request.
    func node(before next: Exchange) -> Exchange
}
