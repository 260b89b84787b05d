import Synchronization

/// Makes containers for the keys of one type.
///
/// The runtime takes some 500 instructions to find the types of a container and what they conform to, each time that a generic
/// function asks. An object that was made with these types has them at hand, and there is one for each type of keys.
class KeyedMaker<Key: CodingKey>: AnyKeyedMaker, @unchecked Sendable {
    func decoding(_ document: JsonDocument, _ index: UInt32) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(JsonKeyedContainer<Key>(document: document, index: index))
    }

    func encoding(_ draft: JsonDraft, _ node: UInt32, convertsNames: Bool) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JsonKeyedEncoder<Key>(draft: draft, node: node, convertsNames: convertsNames))
    }
}

/// A container of a place in a document.
protocol JsonPlaceContainer: KeyedDecodingContainerProtocol {
    init(document: JsonDocument, index: UInt32)
}

/// A container of a place in a draft.
protocol JsonDraftContainer: KeyedEncodingContainerProtocol {
    init(draft: JsonDraft, node: UInt32, convertsNames: Bool)
}

private final class TypedKeyedMaker<Key, Decoding: JsonPlaceContainer, Encoding: JsonDraftContainer>: KeyedMaker<Key>,
    @unchecked Sendable
where Decoding.Key == Key, Encoding.Key == Key {
    override func decoding(_ document: JsonDocument, _ index: UInt32) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Decoding(document: document, index: index))
    }

    override func encoding(_ draft: JsonDraft, _ node: UInt32, convertsNames: Bool) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Encoding(draft: draft, node: node, convertsNames: convertsNames))
    }
}

/// A maker whose type of keys is known by its identity only.
class AnyKeyedMaker: @unchecked Sendable {
    // Sendable: it is a constant.
    let keys: ObjectIdentifier
    init(keys: ObjectIdentifier) { self.keys = keys }
}

/// The makers of the process: a table that is only ever added to, so that a reader needs no lock.
enum KeyedMakers {
    private static let bits: UInt = 9

    /// Pointers to makers that live for ever; where two types of keys meet in one place, the second has none.
    nonisolated(unsafe) private static let places: UnsafeMutablePointer<Atomic<UInt>> = {
        let places = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: 1 << bits)
        for index in 0..<1 << bits { (places + Int(index)).initialize(to: Atomic(0)) }
        return places
    }()

    /// The maker for a type of keys; `nil` where its place is taken.
    @inline(__always)
    static func maker<Key: CodingKey>(for type: Key.Type) -> KeyedMaker<Key>? {
        let keys = ObjectIdentifier(type)
        let hash = (UInt(bitPattern: keys) >> 4) &* 0x9E37_79B9_7F4A_7C15
        let place = places + Int(hash >> (UInt(UInt.bitWidth) - bits))
        let found = place.pointee.load(ordering: .acquiring)
        guard found != 0 else { return add(type, at: place) }
        guard let pointer = UnsafeRawPointer(bitPattern: found) else { return nil }
        let maker = Unmanaged<AnyKeyedMaker>.fromOpaque(pointer).takeUnretainedValue()
        return maker.keys == keys ? unsafeDowncast(maker, to: KeyedMaker<Key>.self) : nil
    }

    @inline(never)
    private static func add<Key: CodingKey>(
        _ type: Key.Type,
        at place: UnsafeMutablePointer<Atomic<UInt>>
    ) -> KeyedMaker<Key>? {
        let maker = TypedKeyedMaker<Key, JsonKeyedContainer<Key>, JsonKeyedEncoder<Key>>(keys: ObjectIdentifier(type))
        let pointer = Unmanaged.passRetained(maker)
        let bits = UInt(bitPattern: pointer.toOpaque())
        let isFirst = place.pointee.compareExchange(expected: 0, desired: bits, ordering: .acquiringAndReleasing)
            .exchanged
        if !isFirst { pointer.release() }
        return isFirst ? maker : nil
    }
}
