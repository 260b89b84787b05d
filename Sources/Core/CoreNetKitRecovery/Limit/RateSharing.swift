package import CoreNetKitChain

/// A counter that several processes share for one rate.
package protocol RateSharing: Sendable {
    /// The problem of the settings, on one line.
    var problem: String? { get }

    /// Makes the node that waits for the turn of a request.
    func node(before next: Exchange) -> Exchange
}
