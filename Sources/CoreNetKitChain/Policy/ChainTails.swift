package import CoreNetKitHTTP
import Synchronization

/// A transport with an identity of its own, which a value has not.
package final class TransportSeat: Sendable {
    package let transport: any Transport

    package init(_ transport: any Transport) { self.transport = transport }

    /// The object itself where the transport is one, so that two clients with one transport are known as such.
    package var identity: ObjectIdentifier {
        type(of: transport) is AnyClass ? ObjectIdentifier(transport as AnyObject) : ObjectIdentifier(self)
    }
}

/// The byte part of the chains of one configuration: assembled once, when it is first needed.
///
/// A copy with another policy keeps the part inside of that policy's position and assembles only what stands outside.
package final class ChainTails: Sendable {
    private struct Tail: Sendable {
        let position: ChainPosition
        let node: Exchange
    }

    /// What can be used again of chains that are assembled already: all that stands inside of a position.
    private struct Base: Sendable {
        let leaf: Exchange
        /// The outermost first.
        let tails: [Tail]
        let limit: ChainPosition
    }

    private final class Assembly: Sendable {
        let leaf: Exchange
        let tails: [Tail]
        let exchange: Exchange

        init(leaf: Exchange, tails: [Tail], exchange: Exchange) {
            (self.leaf, self.tails, self.exchange) = (leaf, tails, exchange)
        }
    }

    package let transport: TransportSeat
    package let policies: [any ChainPolicy]
    /// Which setting each policy was, whatever it looks like: a number that no other setting in this process has.
    private let settings: [UInt64]
    /// Steps around the models that policies bring, the outermost first.
    package let layers: [any Layer]
    /// Who is signed in; `nil` where no policy knows users.
    package let session: (@Sendable () -> Partition.Session)?
    /// What is wrong with a policy.
    package let problem: String?
    /// Whether somebody else's nodes stand in the chain, or a policy cannot work.
    package let needsCheck: Bool
    private let surroundings: ChainSurroundings
    private let base: Base?
    /// The address of an `Assembly` that is retained here, 0 before there is one.
    ///
    /// What `AtomicLazyReference` does, without the types that it looks up for each builder.
    private let assembly = Atomic<UInt>(0)

    private static let lastSetting = Atomic<UInt64>(0)

    /// Without policies.
    package convenience init(_ transport: TransportSeat, _ surroundings: ChainSurroundings) {
        self.init(transport, [], [], surroundings, base: nil)
    }

    private init(
        _ transport: TransportSeat,
        _ policies: [any ChainPolicy],
        _ settings: [UInt64],
        _ surroundings: ChainSurroundings,
        base: Base?
    ) {
        self.transport = transport
        self.policies = policies
        self.settings = settings
        self.surroundings = surroundings
        self.base = base
        layers = policies.compactMap(\.layer)
        session = ChainParts.session(of: policies)
        problem = policies.lazy.compactMap(\.problem).first
        needsCheck = problem != nil || policies.contains { $0 is InsertedPolicy }
    }

    package var parts: ChainParts {
        ChainParts(
            transport: transport.transport,
            policies: policies,
            settings: settings,
            surroundings: surroundings,
            transportIdentity: transport.identity
        )
    }

    package var exchange: Exchange {
        if let known { return known.exchange }
        let made = assemble()
        let pointer = Unmanaged.passRetained(made)
        let isFirst = assembly.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: pointer.toOpaque()),
            ordering: .acquiringAndReleasing
        ).exchanged
        // Two that assemble at once make the same; the nodes have no state.
        if !isFirst { pointer.release() }
        return made.exchange
    }

    private var known: Assembly? {
        guard let pointer = UnsafeRawPointer(bitPattern: assembly.load(ordering: .acquiring)) else { return nil }
        return Unmanaged<Assembly>.fromOpaque(pointer).takeUnretainedValue()
    }

    deinit {
        guard let pointer = UnsafeRawPointer(bitPattern: assembly.load(ordering: .acquiring)) else { return }
        Unmanaged<Assembly>.fromOpaque(pointer).release()
    }

    package func with(_ transport: TransportSeat) -> ChainTails {
        ChainTails(transport, policies, settings, surroundings, base: nil)
    }

    package func with(_ surroundings: ChainSurroundings) -> ChainTails {
        ChainTails(transport, policies, settings, surroundings, base: nil)
    }

    package func setting(_ policy: any ChainPolicy) -> ChainTails {
        let positions = policy.positions
        guard positions.isEmpty || !positions.allSatisfy(\.adds) else { return changed(positions, adding: policy) }
        return changed(positions, adding: policy) { other in
            if positions.isEmpty { return type(of: other) == type(of: policy) }
            return !other.positions.allSatisfy(\.adds) && other.positions.contains { positions.contains($0) }
        }
    }

    package func removing(_ position: ChainPosition) -> ChainTails {
        changed([]) { $0.positions.contains(position) }
    }

    /// The same without some policies, and with another one behind the rest.
    private func changed(
        _ positions: [ChainPosition],
        adding policy: (any ChainPolicy)? = nil,
        without isReplaced: (any ChainPolicy) -> Bool = { _ in false }
    ) -> ChainTails {
        var (policies, settings, positions) = (policies, settings, positions)
        for index in policies.indices.reversed() where isReplaced(policies[index]) {
            positions += policies.remove(at: index).positions
            settings.remove(at: index)
        }
        if let policy {
            policies.append(policy)
            settings.append(Self.lastSetting.add(1, ordering: .relaxed).newValue)
        }
        // A policy without a position may tell any other something.
        let isAnywhere = policy?.positions.isEmpty ?? false
        let base = isAnywhere ? nil : base(inside: positions)
        return ChainTails(transport, policies, settings, surroundings, base: base)
    }

    private func base(inside positions: [ChainPosition]) -> Base? {
        guard let limit = positions.max() else { return nil }
        if let known {
            return Base(leaf: known.leaf, tails: known.tails, limit: limit)
        }
        return base.map { Base(leaf: $0.leaf, tails: $0.tails, limit: max($0.limit, limit)) }
    }

    private func assemble() -> Assembly {
        let parts = parts
        let leaf = base?.leaf ?? TransportNode(transport.transport)
        let kept = base.map { base in base.tails.filter { $0.position > base.limit } } ?? []
        let limit = base?.limit
        var tails = Array(kept.reversed())
        var next = kept.first?.node ?? leaf
        for seat in parts.seats(where: { position in limit.map { position <= $0 } ?? true }).reversed() {
            next = seat.policy.node(at: seat.position, before: next, with: parts)
            tails.append(Tail(position: seat.position, node: next))
        }
        return Assembly(leaf: leaf, tails: tails.reversed(), exchange: next)
    }
}
