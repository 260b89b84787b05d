public import CoreNetKitEssentials
public import CoreNetKitHTTP
import Dispatch

/// The common part of a client and a builder: transport, policies, and how calls run.
///
/// A value that is cheap to copy.
public struct ChainConfiguration: Sendable {
    /// All values in one immutable block, which copies share.
    private final class Block: Sendable {
        let fields: Fields
        let assembly: ChainAssembly

        init(_ fields: Fields, assembly: ChainAssembly) {
            var fields = fields
            // Set once for all chains of a configuration, because the options are shared by reference.
            if assembly.session != nil || fields.options.session != nil {
                fields.options.session = assembly.session
            }
            self.fields = fields
            self.assembly = assembly
        }
    }

    private struct Fields: Sendable {
        var resources: ChainResources
        var shared = CallOptions.Shared(CallOptions())
        var options: CallOptions {
            get { shared.options }
            set { shared = CallOptions.Shared(newValue) }
        }
        var layers: [any Layer] = []
    }

    private var block: Block

    /// Creates a configuration without policies.
    ///
    /// - Parameters:
    ///   - transport: The transport that performs the exchanges.
    ///   - clock: The clock for deadlines, waits and limits.
    ///   - date: The time of day.
    ///   - seed: Makes the random part of waits repeatable, for tests.
    public init(
        transport: any Transport,
        clock: CallClock = .continuous,
        date: @escaping @Sendable () -> Date = { Date() },
        seed: UInt64? = nil
    ) {
        let resources = ChainResources(clock: clock, date: date, random: Jitter(seed: seed))
        var fields = Fields(resources: resources)
        var options = CallOptions()
        options.clock = clock
        options.date = date
        fields.options = options
        block = Block(fields, assembly: ChainAssembly(TransportBox(transport), resources))
    }

    /// The transport that performs the exchanges.
    public var transport: any Transport {
        get { block.assembly.transport.transport }
        set { block = Block(block.fields, assembly: block.assembly.with(TransportBox(newValue))) }
    }

    /// The policies in the order in which they were set.
    public var policies: [any ChainPolicy] { block.assembly.policies }

    /// How long a call may take in all, with every wait, retry and redirect; `nil` for no limit, not even that of the
    /// surrounding code.
    public var deadline: Duration? {
        get { options.deadline.limit }
        set { change { $0.options.deadline = newValue.map { .limit($0) } ?? .none } }
    }

    /// What is logged of each call; `nil` for nothing.
    public var log: LogConfiguration? {
        get { options.listeners.log }
        set { change { $0.options.listeners.log = newValue } }
    }

    /// The layers around the models, the outermost first.
    public var layers: [any Layer] {
        get { block.fields.layers }
        set { change { $0.layers = newValue } }
    }

    /// Sets a policy: it replaces the one at the same positions, or is added where policies accumulate.
    public mutating func set(_ policy: any ChainPolicy) {
        block = Block(block.fields, assembly: block.assembly.setting(policy))
    }

    /// Removes the policies of a position; a policy with several positions is removed as a whole.
    public mutating func remove(_ position: ChainPosition) {
        guard block.assembly.policies.contains(where: { $0.positions.contains(position) }) else { return }
        block = Block(block.fields, assembly: block.assembly.removing(position))
    }

    package var options: CallOptions {
        get { block.fields.options }
        set { change { $0.options = newValue } }
    }

    package var resources: ChainResources { block.fields.resources }

    /// The same configuration with other shared objects.
    package mutating func replace(_ shared: ChainParts.SharedObjects) {
        let resources = block.fields.resources.replacing(shared)
        var fields = block.fields
        fields.resources = resources
        block = Block(fields, assembly: block.assembly.with(resources))
    }

    /// The assembled byte chain.
    package var exchange: Exchange { block.assembly.exchange }

    /// The parts that policies make their nodes from.
    public var parts: ChainParts { block.assembly.parts }

    /// Assembles the chain now, so that copies with other policies can reuse its inner part.
    package func assemble() { _ = block.assembly.exchange }

    /// A chain with a head in front of this configuration's byte chain, and the layers around both.
    package func chain<Input: Sendable, Output: Sendable>(
        _ head: any Node<Input, Output>
    ) -> Chain<Input, Output> {
        let fields = block.fields
        let inner = block.assembly.layers
        guard !fields.layers.isEmpty || !inner.isEmpty || block.assembly.needsCheck else {
            // The default order is correct: only custom nodes can be at a wrong position.
            return Chain(head: head, sharing: fields.shared)
        }
        let head = (fields.layers + inner).reversed().reduce(head) { next, layer in layer.wrap(next) }
        return Chain(checked: head, options: fields.options, problem: block.assembly.problem)
    }

    private mutating func change(_ body: (inout Fields) -> Void) {
        var fields = block.fields
        body(&fields)
        block = Block(fields, assembly: block.assembly)
    }
}

extension ChainConfiguration: CustomStringConvertible, CustomReflectable {
    /// The types of the transport and the policies; settings are omitted because they may be secret.
    public var description: String {
        (["\(type(of: transport))"] + policies.map { "\(type(of: $0))" }).joined(separator: ", ")
    }

    /// The description only.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
