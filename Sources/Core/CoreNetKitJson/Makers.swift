import Synchronization

/// Values made for one type, which is known only by its identity.
class AnyMaker: @unchecked Sendable {
    // Sendable: it is a constant.
    let type: ObjectIdentifier
    init(for type: ObjectIdentifier) { self.type = type }
}

/// The process's makers by type: a table that is only added to, so that readers need no lock.
struct Makers: @unchecked Sendable {
    // Sendable: the pointer's target is atomic.

    private static let bits: UInt = 9

    /// Pointers to makers that are never freed; if two types share a slot, the second one has no maker.
    private let places: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        places = .allocate(capacity: 1 << Self.bits)
        for index in 0..<1 << Self.bits { (places + Int(index)).initialize(to: Atomic(0)) }
    }

    /// The maker for a type, which need not be retained; `nil` if its slot is taken, or if there is none.
    @inline(__always)
    func maker(for type: ObjectIdentifier, _ make: (ObjectIdentifier) -> AnyMaker?) -> Unmanaged<AnyMaker>? {
        let hash = (UInt(bitPattern: type) >> 4) &* 0x9E37_79B9_7F4A_7C15
        let place = places + Int(hash >> (UInt(UInt.bitWidth) - Self.bits))
        let found = place.pointee.load(ordering: .acquiring)
        guard found != 0 else { return make(type).flatMap { Self.add($0, at: place) } }
        guard let pointer = UnsafeRawPointer(bitPattern: found) else { return nil }
        let maker = Unmanaged<AnyMaker>.fromOpaque(pointer)
        return maker._withUnsafeGuaranteedRef { $0.type == type } ? maker : nil
    }

    @inline(never)
    private static func add(_ maker: AnyMaker, at place: UnsafeMutablePointer<Atomic<UInt>>) -> Unmanaged<AnyMaker>? {
        let pointer = Unmanaged.passRetained(maker)
        let bits = UInt(bitPattern: pointer.toOpaque())
        let isFirst = place.pointee.compareExchange(expected: 0, desired: bits, ordering: .acquiringAndReleasing)
            .exchanged
        if !isFirst { pointer.release() }
        return isFirst ? pointer : nil
    }
}
