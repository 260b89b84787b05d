public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// What the nodes of policies are made of.
public struct ChainParts: Sendable {
    /// Who performs the exchanges.
    public let transport: any Transport
    /// All policies of the chain, in the order in which they were set.
    public let policies: [any ChainPolicy]
    /// Which setting each policy was: the same number for nobody but copies of the same configuration.
    package let settings: [UInt64]
    package let surroundings: ChainSurroundings
    /// Tells apart transports that are values: each that is set has one of its own.
    package let transportIdentity: ObjectIdentifier

    /// The time that deadlines, waits and limits go by.
    public var clock: CallClock { surroundings.clock }
    /// The time of day, for dates that servers send and tokens carry.
    public var date: @Sendable () -> Date { surroundings.date }
    /// What a client and its copies have one of each.
    public var shared: ChainParts.SharedObjects { surroundings.shared }
    package var timers: TimerQueue { surroundings.timers }
    package var random: Jitter { surroundings.random }

    /// The policy of a type that stands at no position and only tells others something.
    public func policy<Policy: ChainPolicy>(_ type: Policy.Type) -> Policy? {
        policies.lazy.compactMap { $0 as? Policy }.last
    }

    /// Whether a policy stands at a position.
    public func has(_ position: ChainPosition) -> Bool { policies.contains { $0.positions.contains(position) } }

    /// The scopes of the policies inside of a position, and of the transport.
    ///
    /// - Parameter position: The position of who asks.
    /// - Returns: The identities that make calls different, `nil` when one is unknown.
    public func scopes(inside position: ChainPosition) -> [ObjectIdentifier]? {
        var found = [transportIdentity]
        for policy in policies where policy.positions.contains(where: { $0 > position }) {
            switch policy.scope {
            case .none: break
            case .object(let identity): found.append(identity)
            case .unknown: return nil
            }
        }
        return found
    }

    /// Whose calls these are at this moment: what all policies know together.
    ///
    /// A node asks ``RequestContext/partition`` instead: whose call it is does not change while it runs.
    public var partition: @Sendable () -> Partition {
        let session = session
        return { session().partition }
    }

    /// The login that calls belong to at this moment: a node asks ``RequestContext/session`` instead.
    public var session: @Sendable () -> Partition.Session {
        let source = SessionSource(policies.compactMap(\.partitionProvider))
        return { source?.session ?? Partition.Session(of: .anonymous) }
    }

    /// What the policies at some positions make of a last node: a whole byte chain, a tail of it, or a walk that only
    /// looks at stored responses.
    ///
    /// - Parameters:
    ///   - leaf: The last node.
    ///   - keep: Which positions take part.
    /// - Returns: The outermost node.
    public func fold(_ leaf: Exchange, where keep: (ChainPosition) -> Bool = { _ in true }) -> Exchange {
        seats(where: keep).reversed().reduce(leaf) { next, seat in
            seat.policy.node(at: seat.position, before: next, with: self)
        }
    }

    /// The whole chain down to the wire, or the part of it at some positions.
    ///
    /// - Parameter keep: Which positions take part.
    /// - Returns: The outermost node.
    public func exchange(where keep: (ChainPosition) -> Bool = { _ in true }) -> Exchange {
        fold(TransportNode(transport), where: keep)
    }

    /// The policies in the order of the chain; those of one position in the order in which they were set.
    func seats(where keep: (ChainPosition) -> Bool) -> [(position: ChainPosition, policy: any ChainPolicy)] {
        var seats: [(position: ChainPosition, policy: any ChainPolicy)] = []
        for policy in policies {
            for position in policy.positions where keep(position) {
                // Few policies, nearly in order: the place is found from the end.
                let place = seats.lastIndex { $0.position <= position }.map { $0 + 1 } ?? 0
                seats.insert((position, policy), at: place)
            }
        }
        return seats
    }
}

/// What all chains of a client have in common beside their policies.
package final class ChainSurroundings: Sendable {
    package let clock: CallClock
    package let date: @Sendable () -> Date
    package let timers: TimerQueue
    package let random: Jitter
    package let shared: ChainParts.SharedObjects

    package init(
        clock: CallClock,
        date: @escaping @Sendable () -> Date,
        random: Jitter,
        shared: ChainParts.SharedObjects = ChainParts.SharedObjects()
    ) {
        self.clock = clock
        self.date = date
        self.random = random
        self.shared = shared
        timers = TimerQueue(clock)
    }

    package func replacing(_ shared: ChainParts.SharedObjects) -> ChainSurroundings {
        ChainSurroundings(clock: clock, date: date, random: random, shared: shared)
    }
}
