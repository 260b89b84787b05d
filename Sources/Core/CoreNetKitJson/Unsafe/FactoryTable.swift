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

/// A factory whose key type is known only by its identity.
class AnyKeyedFactory: AnyFactory, @unchecked Sendable {
    /// The cursor of the container that the last document has released; one per key type in the process.
    let spare = Atomic<Unmanaged<JsonCursor>?>(nil)
}

/// Makes containers for one key type.
///
/// In a generic function the runtime looks up a container's types and conformances each time; this object has them.
/// `Container` is `KeyedDecodingContainer<Key>`.
class KeyedFactory<Key, Container: JsonReusedContainer>: AnyKeyedFactory, @unchecked Sendable
where Container.Key == Key {
    fileprivate func making(_ cursor: JsonCursor) -> Container { Container(JsonKeyedContainer<Key>(cursor: cursor)) }

    func decoding(at cursor: JsonCursor) -> Container {
        let container = making(cursor)
        cursor.keep(container)
        return container
    }

    func decoding(_ box: AnyObject) -> Container { unsafeBitCast(box, to: Container.self) }

    func encoding(_ draft: JsonDraft, _ node: UInt32, convertsNames: Bool) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JsonKeyedEncoder<Key>(draft: draft, node: node, convertsNames: convertsNames))
    }
}

/// A container of the standard library as a type parameter, so that its conformance need not be looked up.
protocol JsonReusedContainer {
    associatedtype Key: CodingKey
    init<Container: KeyedDecodingContainerProtocol>(_ container: Container) where Container.Key == Key
}

extension KeyedDecodingContainer: JsonReusedContainer {}

protocol JsonCursorContainer: KeyedDecodingContainerProtocol {
    init(cursor: JsonCursor)
}

protocol JsonDraftContainer: KeyedEncodingContainerProtocol {
    init(draft: JsonDraft, node: UInt32, convertsNames: Bool)
}

private final class TypedKeyedFactory<
    Key,
    Container: JsonReusedContainer,
    Decoding: JsonCursorContainer,
    Encoding: JsonDraftContainer
>: KeyedFactory<Key, Container>, @unchecked Sendable
where Container.Key == Key, Decoding.Key == Key, Encoding.Key == Key {
    override func making(_ cursor: JsonCursor) -> Container { Container(Decoding(cursor: cursor)) }

    override func encoding(_ draft: JsonDraft, _ node: UInt32, convertsNames: Bool) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Encoding(draft: draft, node: node, convertsNames: convertsNames))
    }
}

extension FactoryTable {
    private static let keyed = FactoryTable()

    /// The factory for a key type; `nil` if its slot is taken, and always if `CORENETKIT_PLAIN_JSON` was set for the
    /// build (decision 8): then each object gets a container of its own.
    @inline(__always)
    static func factory<Key: CodingKey>(for type: Key.Type) -> Unmanaged<
        KeyedFactory<Key, KeyedDecodingContainer<Key>>
    >? {
        #if PLAIN_JSON_CONTAINERS
            return nil
        #else
            let factory = keyed.factory(for: ObjectIdentifier(type)) {
                TypedKeyedFactory<Key, KeyedDecodingContainer<Key>, JsonKeyedContainer<Key>, JsonKeyedEncoder<Key>>(
                    for: $0
                )
            }
            // Not with `map`, which looks up the type of its result.
            guard let factory else { return nil }
            return Unmanaged.fromOpaque(factory.toOpaque())
        #endif
    }
}

/// Makes arrays of one type, and caches what would have to be looked up for each array.
class ListFactory<List>: AnyFactory, @unchecked Sendable {
    func list(from decoder: JsonDecoder) throws -> List { throw decoder.mismatch(List.self) }
}

private final class TypedListFactory<Element: Decodable>: ListFactory<[Element]>, @unchecked Sendable {
    override func list(from decoder: JsonDecoder) throws -> [Element] { try decoder.list(of: Element.self) }
}

private protocol DecodableList {
    static func factory(for type: ObjectIdentifier) -> AnyFactory
}

extension Array: DecodableList where Element: Decodable {
    fileprivate static func factory(for type: ObjectIdentifier) -> AnyFactory { TypedListFactory<Element>(for: type) }
}

extension FactoryTable {
    private static let lists = FactoryTable()

    @inline(__always)
    static func list<List>(_ type: List.Type) -> Unmanaged<ListFactory<List>>? {
        let factory = lists.factory(for: ObjectIdentifier(type)) { (type as? any DecodableList.Type)?.factory(for: $0) }
        guard let factory else { return nil }
        return Unmanaged.fromOpaque(factory.toOpaque())
    }
}
