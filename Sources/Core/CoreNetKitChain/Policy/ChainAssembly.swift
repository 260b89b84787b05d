import CoreNetKitHTTP
import Synchronization

/// The policies of a configuration, folded: their nodes, each in front of the next, down to the wire.
///
/// All copies of a configuration share it until a policy, the transport or a shared object changes; then another one folds
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

    /// The outermost node; folded on first access, and then kept.
    ///
    /// Two concurrent readers may both fold, which is harmless because nodes have no state; the first result is kept.
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
