public import CoreNetKitEssentials
public import CoreNetKitHTTP
import Synchronization

/// The common part of a client and a builder: transport, policies, and how calls run.
///
/// A value that is cheap to copy.
public struct ChainConfiguration: Sendable {
    /// All values in one immutable block, which copies share.
    private final class Block: Sendable {
        let assembly: ChainAssembly
        let shared: CallOptions.Shared
        let layers: [any Layer]

        init(_ assembly: ChainAssembly, _ shared: CallOptions.Shared, layers: [any Layer]) {
            self.assembly = assembly
            self.layers = layers
            guard assembly.session != nil || shared.options.session != nil else {
                self.shared = shared
                return
            }
            // Set once for all chains of a configuration, because the options are shared by reference.
            var options = shared.options
            options.session = assembly.session
            self.shared = CallOptions.Shared(options)
        }
    }

    private var block: Block

    /// Creates a configuration without policies; a seed makes the random part of waits repeatable, for tests.
    public init(
        transport: any Transport,
        clock: CallClock = .continuous,
        date: @escaping @Sendable () -> Date = { Date() },
        seed: UInt64? = nil
    ) {
        let resources = ChainResources(clock: clock, date: date, random: Jitter(seed: seed))
        var options = CallOptions()
        options.clock = clock
        options.date = date
        let parts = ChainParts(TransportBox(transport), [], [], resources)
        block = Block(ChainAssembly(parts), CallOptions.Shared(options), layers: [])
    }

    /// The transport that performs the exchanges.
    public var transport: any Transport {
        get { parts.transport }
        set { fold(ChainParts(TransportBox(newValue), parts.policies, parts.settings, parts.resources)) }
    }

    /// The policies in the order in which they were set.
    public var policies: [any ChainPolicy] { parts.policies }

    /// How long a call may take in all, with every wait, retry and redirect; `nil` for no limit, not even that of the
    /// surrounding code.
    public var deadline: Duration? {
        get { options.deadline.limit }
        set { options.deadline = newValue.map { .limit($0) } ?? .none }
    }

    /// What is logged of each call; `nil` for nothing.
    public var log: LogConfiguration? {
        get { options.listeners.log }
        set { options.listeners.log = newValue }
    }

    /// The layers around the models, the outermost first.
    public var layers: [any Layer] {
        get { block.layers }
        set { block = Block(block.assembly, block.shared, layers: newValue) }
    }

    /// Sets a policy: it replaces the one at the same positions, or is added where policies accumulate.
    public mutating func set(_ policy: any ChainPolicy) { fold(parts.setting(policy)) }

    /// Removes the policies of a position; a policy with several positions is removed as a whole.
    public mutating func remove(_ position: ChainPosition) {
        if parts.has(position) { fold(parts.removing(position)) }
    }

    package var options: CallOptions {
        get { block.shared.options }
        set { block = Block(block.assembly, CallOptions.Shared(newValue), layers: block.layers) }
    }

    /// The byte chain; folded on first access, and then kept for all copies with the same policies.
    package var exchange: Exchange { block.assembly.exchange }

    /// The parts that policies make their nodes from.
    public var parts: ChainParts { block.assembly.parts }

    /// A chain with a head in front of this configuration's byte chain, and the layers around both.
    package func chain<Input: Sendable, Output: Sendable>(
        _ head: any Node<Input, Output>
    ) -> Chain<Input, Output> {
        guard !block.layers.isEmpty || !block.assembly.layers.isEmpty || block.assembly.needsCheck else {
            // The default order is correct: only custom nodes can be at a wrong position.
            return Chain(head: head, sharing: block.shared)
        }
        let layers = block.layers + block.assembly.layers
        let head = layers.reversed().reduce(head) { next, layer in layer.wrap(next) }
        return Chain(checked: head, options: block.shared.options, problem: block.assembly.problem)
    }

    private mutating func fold(_ parts: ChainParts) {
        block = Block(ChainAssembly(parts), block.shared, layers: block.layers)
    }
}

extension ChainConfiguration: CustomStringConvertible, DescriptionOnly {
    /// The types of the transport and the policies; settings are omitted because they may be secret.
    public var description: String {
        (["\(type(of: transport))"] + policies.map { "\(type(of: $0))" }).joined(separator: ", ")
    }
}

/// The policies of a configuration, folded: their nodes, each in front of the next, down to the wire.
///
/// All copies of a configuration share it until a policy or the transport changes; then another one folds
/// everything anew.
final class ChainAssembly: Sendable {
    let parts: ChainParts
    /// The layers of policies, the outermost first.
    let layers: [any Layer]
    /// The source of the user; `nil` if no policy knows users.
    let session: SessionSource?
    /// The first problem of a policy's settings.
    let problem: String?
    /// Whether the chain contains custom nodes or a policy with a problem.
    let needsCheck: Bool
    /// The address of the first node, which is allocated here; 0 before the first access.
    ///
    /// It is read for each chain that is built. `AtomicLazyReference` would look up its metadata each time: decision 3.
    private let folded = Atomic<UInt>(0)

    init(_ parts: ChainParts) {
        self.parts = parts
        let policies = parts.policies
        layers = policies.compactMap(\.layer)
        session = SessionSource(policies.compactMap(\.partitionProvider))
        problem = policies.lazy.compactMap(\.problem).first
        needsCheck = problem != nil || policies.contains { $0 is InsertedPolicy }
    }

    deinit {
        guard let address = UnsafeMutablePointer<Exchange>(bitPattern: folded.load(ordering: .acquiring)) else {
            return
        }
        address.deinitialize(count: 1)
        address.deallocate()
    }

    /// The outermost node, folded on first access; of two readers that fold at the same time, the first result is kept.
    var exchange: Exchange { kept ?? keep(parts.exchange()) }

    private var kept: Exchange? {
        UnsafePointer<Exchange>(bitPattern: folded.load(ordering: .acquiring))?.pointee
    }

    private func keep(_ exchange: Exchange) -> Exchange {
        let address = UnsafeMutablePointer<Exchange>.allocate(capacity: 1)
        address.initialize(to: exchange)
        let isFirst = folded.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: address),
            ordering: .acquiringAndReleasing
        ).exchanged
        guard !isFirst else { return exchange }
        address.deinitialize(count: 1)
        address.deallocate()
        return kept ?? exchange
    }
}
