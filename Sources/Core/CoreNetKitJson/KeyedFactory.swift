import Synchronization

/// A factory whose key type is known only by its identity.
class AnyKeyedFactory: AnyFactory, @unchecked Sendable {
    /// The cursor of the container that the last document has released; one per key type in the process.
    let spare = Atomic<Unmanaged<JsonCursor>?>(nil)
}

/// Makes containers for one key type.
///
/// In a generic function the runtime looks up a container's types and conformances each time, which is slow. An object
/// created with these types already has them, and there is one per key type.
///
/// `Container` is `KeyedDecodingContainer<Key>`.
class KeyedFactory<Key, Container: JsonReusedContainer>: AnyKeyedFactory, @unchecked Sendable
where Container.Key == Key {
    fileprivate func making(_ cursor: JsonCursor) -> Container { Container(JsonKeyedContainer<Key>(cursor: cursor)) }

    /// A container for a cursor, which keeps it for reuse.
    func decoding(at cursor: JsonCursor) -> Container {
        let container = making(cursor)
        cursor.keep(container)
        return container
    }

    /// A reused container, given its box.
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

/// A container of an object in a document.
protocol JsonCursorContainer: KeyedDecodingContainerProtocol {
    init(cursor: JsonCursor)
}

/// A container of a place in a draft.
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
