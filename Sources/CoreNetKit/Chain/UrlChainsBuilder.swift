import Dispatch
import CoreNetKitHTTP

/// Describes a request to a URL and builds the chain that makes it.
///
/// A builder is a value: every call returns a changed copy, so it can be kept, shared and reused. Options may be set in
/// any order and apply to every kind of chain. The input and output types of `build()` are inferred from where the
/// chain is used. Nothing fails while building: what is missing or wrong is the error of each call.
public struct UrlChainsBuilder<Route: UrlRouteProvider & Sendable>: Sendable {
    var client: Client
    var request: RequestOptions<Route>
    var call: CallOptions
    var policies: Policies
    var insertions: Insertions
    var layers: [any Layer]

    /// Creates a builder without a route: GET, JSON in the body where there is one, the shared client.
    public init(client: Client = .shared) {
        self.client = client
        request = RequestOptions()
        call = CallOptions(clock: client.clock, log: client.log)
        policies = client.policies
        insertions = Insertions()
        layers = []
    }

    /// A copy with a change.
    func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
