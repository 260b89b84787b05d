public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem
import Synchronization

/// The parts that policies make their nodes from.
public struct ChainParts: Sendable {
    /// The transport that performs the exchanges.
    public let transport: any Transport
    /// All policies of the chain, in the order in which they were set.
    public let policies: [any ChainPolicy]
    /// An identity of each policy's setting, shared only by copies of the same configuration.
    package let settings: [UInt64]
    let resources: ChainResources
    /// Identifies the transport even if it is a value: each one that is set gets its own box.
    let transportBox: TransportBox
    package var transportIdentity: ObjectIdentifier { transportBox.identity }

    private static let lastSetting = Atomic<UInt64>(0)

    init(_ transport: TransportBox, _ policies: [any ChainPolicy], _ settings: [UInt64], _ resources: ChainResources) {
        self.transport = transport.transport
        (self.policies, self.settings, self.resources, transportBox) = (policies, settings, resources, transport)
    }

    /// The clock for deadlines, waits and limits.
    public var clock: CallClock { resources.clock }
    /// The time of day, for dates that servers send and tokens carry.
    public var date: @Sendable () -> Date { resources.date }
    /// The objects that a client shares with its copies.
    public var shared: ChainParts.SharedObjects { resources.shared }
    package var timers: TimerQueue { resources.timers }
    package var random: Jitter { resources.random }

    /// The last policy of a type; for policies without a position, which only inform others.
    public func policy<Policy: ChainPolicy>(_ type: Policy.Type) -> Policy? {
        policies.lazy.compactMap { $0 as? Policy }.last
    }

    /// Whether there is a policy at a position.
    public func has(_ position: ChainPosition) -> Bool { policies.contains { $0.positions.contains(position) } }

    /// The scopes of the policies inside a position, and of the transport; `nil` if one is unknown.
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

    /// The policy because of which ``scopes(inside:)`` is `nil`, by its type or its position.
    package func policyOfUnknownScope(inside position: ChainPosition) -> String? {
        let unknown = policies.first { policy in
            policy.scope == .unknown && policy.positions.contains { $0 > position }
        }
        return unknown.map { $0 is InsertedPolicy ? "insert(at: .\($0.positions[0]))" : "\(type(of: $0))" }
    }

    /// The user of calls that begin now, according to all policies combined.
    ///
    /// A node reads ``RequestContext/partition`` instead, because the user of a call does not change while it runs.
    public var partition: @Sendable () -> Partition {
        let session = session
        return { session().partition }
    }

    /// The session of calls that begin now; a node reads ``RequestContext/session`` instead.
    public var session: @Sendable () -> Partition.Session {
        let source = SessionSource(policies.compactMap(\.partitionProvider))
        return { source?.session ?? Partition.Session(of: .anonymous) }
    }

    /// Makes the nodes of the policies at the positions to keep, in front of a last node; returns the outermost one.
    ///
    /// For a whole byte chain, a suffix of it, or a path that only reads stored responses.
    public func fold(_ leaf: Exchange, where keep: (ChainPosition) -> Bool = { _ in true }) -> Exchange {
        var ordered: [(position: ChainPosition, policy: any ChainPolicy)] = []
        for policy in policies {
            for position in policy.positions where keep(position) {
                // The policies are few and nearly in order, so the index is searched from the end; at one position, they stay
                // in the order in which they were set.
                let index = ordered.lastIndex { $0.position <= position }.map { $0 + 1 } ?? 0
                ordered.insert((position, policy), at: index)
            }
        }
        return ordered.reversed().reduce(leaf) { next, step in
            step.policy.node(at: step.position, before: next, with: self)
        }
    }

    /// The whole chain down to the wire, or the part of it at some positions.
    public func exchange(where keep: (ChainPosition) -> Bool = { _ in true }) -> Exchange {
        fold(TransportNode(transport), where: keep)
    }

    /// The parts with another policy, which replaces the one at the same positions unless policies accumulate there.
    func setting(_ policy: any ChainPolicy) -> ChainParts {
        let positions = policy.positions
        let isAdded = !positions.isEmpty && positions.allSatisfy(\.adds)
        return changed(adding: policy) { other in
            if positions.isEmpty { return type(of: other) == type(of: policy) }
            if isAdded { return false }
            let others = other.positions
            return !others.allSatisfy(\.adds) && others.contains { positions.contains($0) }
        }
    }

    func removing(_ position: ChainPosition) -> ChainParts { changed { $0.positions.contains(position) } }

    /// The parts without some policies, and with another one after the rest.
    private func changed(
        adding policy: (any ChainPolicy)? = nil,
        without isReplaced: (any ChainPolicy) -> Bool
    ) -> ChainParts {
        var (policies, settings) = (policies, settings)
        for index in policies.indices.reversed() where isReplaced(policies[index]) {
            policies.remove(at: index)
            settings.remove(at: index)
        }
        if let policy {
            policies.append(policy)
            settings.append(Self.lastSetting.add(1, ordering: .relaxed).newValue)
        }
        return ChainParts(transportBox, policies, settings, resources)
    }
}

/// A box that gives a transport an identity, because values have none.
final class TransportBox: Sendable {
    let transport: any Transport

    init(_ transport: any Transport) { self.transport = transport }

    /// The identity of the transport itself if it is an object, so that two clients with the same transport are recognised.
    var identity: ObjectIdentifier { ObjectIdentifier(type(of: transport) is AnyClass ? transport as AnyObject : self) }
}

/// The values, besides policies, that all chains of a client share.
final class ChainResources: Sendable {
    let clock: CallClock
    let date: @Sendable () -> Date
    let timers: TimerQueue
    let random: Jitter
    let shared = ChainParts.SharedObjects()

    init(clock: CallClock, date: @escaping @Sendable () -> Date, random: Jitter) {
        (self.clock, self.date, self.random) = (clock, date, random)
        timers = TimerQueue(clock)
    }
}

extension ChainParts {
    /// Objects that a client shares with all its copies: the retry budget, exchanges in flight, refreshes.
    public final class SharedObjects: Sendable {
        private let objects = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

        init() {}

        /// The single object of a type, created on first access.
        ///
        /// `make` is called at most once, and must not access other shared objects.
        public func object<Object: AnyObject & Sendable>(_ type: Object.Type, make: () -> Object) -> Object {
            objects.withLock { objects in
                if let known = objects[ObjectIdentifier(type)] as? Object { return known }
                let made = make()
                objects[ObjectIdentifier(type)] = made
                return made
            }
        }

        /// The objects that keep users' data.
        var keepers: [any SessionDataOwner] {
            objects.withLock { $0.values.compactMap { $0 as? any SessionDataOwner } }
        }

        /// Ends the background work of all objects that are ``Stoppable``.
        public func shutDown() async {
            for case let object as any Stoppable in objects.withLock({ Array($0.values) }) { await object.shutDown() }
        }
    }

    /// An object with background work that can be stopped.
    public protocol Stoppable: Sendable {
        /// Ends the work and returns when it has ended.
        func shutDown() async
    }
}
