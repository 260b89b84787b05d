package import CoreNetKitHTTP
import Synchronization

/// A box that gives a transport an identity, because values have none.
package final class TransportBox: Sendable {
    package let transport: any Transport

    package init(_ transport: any Transport) { self.transport = transport }

    /// The identity of the transport itself if it is an object, so that two clients with the same transport are recognised.
    package var identity: ObjectIdentifier { ObjectIdentifier(instance) }

    /// The object with that identity.
    var instance: AnyObject { type(of: transport) is AnyClass ? transport as AnyObject : self }
}

/// The part of a chain between the models and the wire, for one configuration: the policies' nodes, each in front of the
/// next.
///
/// It is assembled on first use, and then kept with its suffixes: the parts from the node of each position to the wire. A
/// copy with another policy reuses the suffixes inside that policy's position and makes only the nodes outside it again.
package final class ChainAssembly: Sendable {
    /// A node and everything inside it.
    private struct Suffix: Sendable {
        let position: ChainPosition
        let node: Exchange
    }

    /// The part of the original chain that a copy reuses.
    private struct Base: Sendable {
        let leaf: Exchange
        /// The suffixes, the outermost first.
        let suffixes: [Suffix]
        /// The copy shares only suffixes inside this position.
        let limit: ChainPosition
    }

    /// An assembled chain: its last node, its suffixes, its first node.
    private final class AssembledChain: Sendable {
        let leaf: Exchange
        let suffixes: [Suffix]
        let exchange: Exchange

        init(leaf: Exchange, suffixes: [Suffix], exchange: Exchange) {
            (self.leaf, self.suffixes, self.exchange) = (leaf, suffixes, exchange)
        }
    }

    /// Keeps an assembly for as long as it exists itself: `AtomicLazyReference` for one type, without metadata look-ups.
    ///
    /// It is read twice for each chain that is built; decision 3 has the measurements.
    private struct LazyAssembledChain: ~Copyable, Sendable {
        /// The address of an object that is retained here; 0 before there is one.
        private let address = Atomic<UInt>(0)

        var value: AssembledChain? {
            guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
            return Unmanaged<AssembledChain>.fromOpaque(pointer).takeUnretainedValue()
        }

        /// Keeps the new object, unless another thread has set one.
        func keep(_ new: AssembledChain) -> AssembledChain {
            let pointer = Unmanaged.passRetained(new)
            let isFirst = address.compareExchange(
                expected: 0,
                desired: UInt(bitPattern: pointer.toOpaque()),
                ordering: .acquiringAndReleasing
            ).exchanged
            if !isFirst { pointer.release() }
            return value ?? new
        }

        deinit {
            guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return }
            Unmanaged<AssembledChain>.fromOpaque(pointer).release()
        }
    }

    package let transport: TransportBox
    package let policies: [any ChainPolicy]
    /// The identity of each policy's setting, whatever its value: a number that is unique in this process.
    private let settings: [UInt64]
    /// The layers of policies, the outermost first.
    package let layers: [any Layer]
    /// The source of the user; `nil` if no policy knows users.
    package let session: SessionSource?
    /// The first problem of a policy's settings.
    package let problem: String?
    /// Whether the chain contains custom nodes or a policy with a problem.
    package let needsCheck: Bool
    private let resources: ChainResources
    private let base: Base?
    /// The chain, after the first access.
    private let assembled = LazyAssembledChain()

    private static let lastSetting = Atomic<UInt64>(0)

    /// Creates an assembly without policies.
    package convenience init(_ transport: TransportBox, _ resources: ChainResources) {
        self.init(transport, [], [], resources, base: nil)
    }

    private init(
        _ transport: TransportBox,
        _ policies: [any ChainPolicy],
        _ settings: [UInt64],
        _ resources: ChainResources,
        base: Base?
    ) {
        self.transport = transport
        self.policies = policies
        self.settings = settings
        self.resources = resources
        self.base = base
        layers = policies.compactMap(\.layer)
        session = SessionSource(policies.compactMap(\.partitionProvider))
        problem = policies.lazy.compactMap(\.problem).first
        needsCheck = problem != nil || policies.contains { $0 is InsertedPolicy }
    }

    package var parts: ChainParts {
        ChainParts(
            transport: transport.transport,
            policies: policies,
            settings: settings,
            resources: resources,
            transportBox: transport
        )
    }

    /// The chain, from its outermost policy; assembled on first access.
    ///
    /// Two concurrent readers may both assemble it, which is harmless because nodes have no state; the first one is kept.
    package var exchange: Exchange { (assembled.value ?? assembled.keep(assemble())).exchange }

    package func with(_ transport: TransportBox) -> ChainAssembly {
        ChainAssembly(transport, policies, settings, resources, base: nil)
    }

    package func with(_ resources: ChainResources) -> ChainAssembly {
        ChainAssembly(transport, policies, settings, resources, base: nil)
    }

    package func setting(_ policy: any ChainPolicy) -> ChainAssembly {
        let positions = policy.positions
        guard positions.isEmpty || !positions.allSatisfy(\.adds) else { return changed(positions, adding: policy) }
        return changed(positions, adding: policy) { other in
            if positions.isEmpty { return type(of: other) == type(of: policy) }
            return !other.positions.allSatisfy(\.adds) && other.positions.contains { positions.contains($0) }
        }
    }

    package func removing(_ position: ChainPosition) -> ChainAssembly {
        changed([]) { $0.positions.contains(position) }
    }

    /// A copy without some policies, and with another one after the rest.
    private func changed(
        _ positions: [ChainPosition],
        adding policy: (any ChainPolicy)? = nil,
        without isReplaced: (any ChainPolicy) -> Bool = { _ in false }
    ) -> ChainAssembly {
        var (policies, settings, positions) = (policies, settings, positions)
        for index in policies.indices.reversed() where isReplaced(policies[index]) {
            positions += policies.remove(at: index).positions
            settings.remove(at: index)
        }
        if let policy {
            policies.append(policy)
            settings.append(Self.lastSetting.add(1, ordering: .relaxed).newValue)
        }
        // A policy without a position may inform any other one, so nothing can be reused.
        let isAnywhere = policy?.positions.isEmpty ?? false
        let base = isAnywhere ? nil : base(inside: positions)
        return ChainAssembly(transport, policies, settings, resources, base: base)
    }

    private func base(inside positions: [ChainPosition]) -> Base? {
        guard let limit = positions.max() else { return nil }
        if let known = assembled.value {
            return Base(leaf: known.leaf, suffixes: known.suffixes, limit: limit)
        }
        return base.map { Base(leaf: $0.leaf, suffixes: $0.suffixes, limit: max($0.limit, limit)) }
    }

    private func assemble() -> AssembledChain {
        let parts = parts
        let leaf = base?.leaf ?? TransportNode(transport.transport)
        let kept = base.map { base in base.suffixes.filter { $0.position > base.limit } } ?? []
        let limit = base?.limit
        var suffixes = Array(kept.reversed())
        var next = kept.first?.node ?? leaf
        for step in parts.orderedPolicies(where: { position in limit.map { position <= $0 } ?? true }).reversed() {
            next = step.policy.node(at: step.position, before: next, with: parts)
            suffixes.append(Suffix(position: step.position, node: next))
        }
        return AssembledChain(leaf: leaf, suffixes: suffixes.reversed(), exchange: next)
    }
}
