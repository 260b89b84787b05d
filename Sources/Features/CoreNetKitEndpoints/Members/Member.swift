public import CoreNetKitHTTP
import CoreNetKitSystem

extension Endpoints {
    /// One server of a logical origin.
    public struct Member: Sendable, Hashable, ExpressibleByStringInterpolation {
        /// Scheme, host and port: `https://a.example.com:8443`.
        public var url: String
        /// Its share of the requests relative to the others, above zero; ``Strategy/ordered(sticky:)`` ignores it.
        public var weight: Int
        /// Whether requests for an `https` origin may go to it over `http`, with their credentials.
        public var allowsHTTP: Bool
        /// Where it stands, for ``Strategy/preferring(zone:)``: a region, a rack, any name.
        public var zone: String?

        /// Names a server by scheme, host and port, without a path.
        public init(_ url: String, weight: Int = 1, allowsHTTP: Bool = false, zone: String? = nil) {
            (self.url, self.weight, self.allowsHTTP, self.zone) = (url, weight, allowsHTTP, zone)
        }

        /// A server of weight 1.
        public init(stringLiteral url: String) { self.init(url) }

        /// Whether the URL is an origin and nothing more.
        var isBare: Bool {
            guard let origin = Origin(text: url), let rest = origin.replaced(in: url, by: "") else { return false }
            return (rest.isEmpty || rest == "/") && !url.contains("@")
        }

        /// Why it cannot be a member of an origin.
        func mistake(below logical: Origin) -> String? {
            guard isBare, let origin = Origin(text: url) else { return "is not scheme, host and port of a server" }
            if weight < 1 { return "has the weight \(weight), which is not above zero" }
            if logical.isSecure, !origin.isSecure, !allowsHTTP { return "would lower https to http; see allowsHTTP" }
            return nil
        }

        func target(of logical: Origin, isTrusted: Bool, isDiscovered: Bool) -> MemberTarget? {
            Origin(text: url).map {
                .init($0, of: logical, max(weight, 1), zone, isTrusted: isTrusted, isDiscovered: isDiscovered)
            }
        }
    }

    /// A member's health and load at one moment.
    public struct MemberState: Sendable, Hashable {
        /// Its origin.
        public let origin: Origin
        /// Whether it was discovered, not named by hand.
        public let isDiscovered: Bool
        /// Until when it gets no requests because it has failed, on the clock of the client; `nil` if it works.
        ///
        /// From then on one request at a time tries it.
        public let ejectedUntil: Duration?
        /// Until when it asked to be left alone (`Retry-After`), on the clock of the client.
        public let restingUntil: Duration?
        /// Requests without a response head.
        public let inFlight: Int
        /// The time until a response head, an average that follows the peaks; only ``Strategy/leastLoaded`` measures it.
        public let latency: Duration?
    }

    /// How a member is chosen for a request, among those that work.
    public struct Strategy: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case ordered(sticky: Duration)
            case leastLoaded, roundRobin
        }

        let kind: Kind
        var zone: String?

        /// The first of the list, as for an app with a server at home and one in the cloud.
        ///
        /// Requests stay with a later member for the time `sticky` before the first is tried again; a return of the network
        /// ends it (`Reachability`).
        public static func ordered(sticky: Duration = .seconds(60)) -> Strategy {
            Strategy(kind: .ordered(sticky: sticky.bounded))
        }

        /// The less loaded of two random members: requests in flight × latency ÷ weight.
        public static let leastLoaded = Strategy(kind: .leastLoaded)

        /// Each in turn, in proportion to the weights.
        public static let roundRobin = Strategy(kind: .roundRobin)

        /// The same among the members of a zone while at least one of them works and has not been tried by the call, and
        /// among all otherwise; they are the first of the list.
        public func preferring(zone: String) -> Strategy { Strategy(kind: kind, zone: zone) }
    }
}

/// Where the requests of a member go; the attribute of a request that says so.
final class MemberTarget: Attributes.Key, Sendable {
    typealias Value = MemberTarget

    let origin: Origin
    let names: EndpointNames
    let weight: Int
    let zone: String?
    let isTrusted: Bool
    let isDiscovered: Bool

    init(_ origin: Origin, of logical: Origin, _ weight: Int, _ zone: String?, isTrusted: Bool, isDiscovered: Bool) {
        (self.origin, names) = (origin, EndpointNames(logical, member: origin.description))
        (self.weight, self.zone, self.isTrusted, self.isDiscovered) = (weight, zone, isTrusted, isDiscovered)
    }

    /// Whether both stand for the same server under the same conditions.
    func isSame(as other: MemberTarget) -> Bool {
        (origin, weight, zone) == (other.origin, other.weight, other.zone)
            && (isTrusted, isDiscovered) == (other.isTrusted, other.isDiscovered)
    }
}
