import Synchronization

/// Values made for one type, which is known only by its identity.
class AnyFactory: @unchecked Sendable {
    // Sendable: it is a constant.
    let type: ObjectIdentifier
    init(for type: ObjectIdentifier) { self.type = type }
}

/// The process's factories by type: a table that is only added to, so that readers need no lock.
struct FactoryTable: @unchecked Sendable {
    // Sendable: the pointer's target is atomic.

    private static let bits: UInt = 9

    /// Pointers to factories that are never freed; if two types share a slot, the second one has no factory.
    private let slots: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        slots = .allocate(capacity: 1 << Self.bits)
        for index in 0..<1 << Self.bits { (slots + Int(index)).initialize(to: Atomic(0)) }
    }

    /// The factory for a type, which need not be retained; `nil` if its slot is taken, or if there is none.
    @inline(__always)
    func factory(for type: ObjectIdentifier, _ make: (ObjectIdentifier) -> AnyFactory?) -> Unmanaged<AnyFactory>? {
        let hash = (UInt(bitPattern: type) >> 4) &* 0x9E37_79B9_7F4A_7C15
        let slot = slots + Int(hash >> (UInt(UInt.bitWidth) - Self.bits))
        let found = slot.pointee.load(ordering: .acquiring)
        guard found != 0 else { return make(type).flatMap { Self.add($0, at: slot) } }
        guard let pointer = UnsafeRawPointer(bitPattern: found) else { return nil }
        let factory = Unmanaged<AnyFactory>.fromOpaque(pointer)
        return factory._withUnsafeGuaranteedRef { $0.type == type } ? factory : nil
    }

    @inline(never)
    private static func add(_ factory: AnyFactory, at slot: UnsafeMutablePointer<Atomic<UInt>>) -> Unmanaged<
        AnyFactory
    >? {
        let pointer = Unmanaged.passRetained(factory)
        let bits = UInt(bitPattern: pointer.toOpaque())
        let isFirst = slot.pointee.compareExchange(expected: 0, desired: bits, ordering: .acquiringAndReleasing)
            .exchanged
        if !isFirst { pointer.release() }
        return isFirst ? pointer : nil
    }
}
