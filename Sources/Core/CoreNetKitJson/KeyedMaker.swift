import Synchronization

/// A maker whose key type is known only by its identity.
class AnyKeyedMaker: AnyMaker, @unchecked Sendable {
    /// The place of the container that the last document has released; one per key type in the process.
    let spare = Atomic<Unmanaged<JsonPlace>?>(nil)
}

/// Makes containers for one key type.
///
/// In a generic function the runtime looks up a container's types and conformances each time, which is slow. An object
/// created with these types already has them, and there is one per key type.
///
/// `Container` is `KeyedDecodingContainer<Key>`.
class KeyedMaker<Key, Container: JsonReusedContainer>: AnyKeyedMaker, @unchecked Sendable where Container.Key == Key {
    fileprivate func making(_ place: JsonPlace) -> Container { Container(JsonKeyedContainer<Key>(place: place)) }

    /// A container for a place, which keeps it for reuse.
    func decoding(at place: JsonPlace) -> Container {
        let container = making(place)
        place.keep(container)
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
protocol JsonPlaceContainer: KeyedDecodingContainerProtocol {
    init(place: JsonPlace)
}

/// A container of a place in a draft.
protocol JsonDraftContainer: KeyedEncodingContainerProtocol {
    init(draft: JsonDraft, node: UInt32, convertsNames: Bool)
}

private final class TypedKeyedMaker<
    Key,
    Container: JsonReusedContainer,
    Decoding: JsonPlaceContainer,
    Encoding: JsonDraftContainer
>: KeyedMaker<Key, Container>, @unchecked Sendable
where Container.Key == Key, Decoding.Key == Key, Encoding.Key == Key {
    override func making(_ place: JsonPlace) -> Container { Container(Decoding(place: place)) }

    override func encoding(_ draft: JsonDraft, _ node: UInt32, convertsNames: Bool) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Encoding(draft: draft, node: node, convertsNames: convertsNames))
    }
}

extension Makers {
    private static let keyed = Makers()

    /// The maker for a key type; `nil` if its slot is taken, and always if `CORENETKIT_PLAIN_JSON` was set for the
    /// build (decision 8): then each object gets a container of its own.
    @inline(__always)
    static func maker<Key: CodingKey>(for type: Key.Type) -> Unmanaged<KeyedMaker<Key, KeyedDecodingContainer<Key>>>? {
        #if PLAIN_JSON_CONTAINERS
            return nil
        #else
            let maker = keyed.maker(for: ObjectIdentifier(type)) {
                TypedKeyedMaker<Key, KeyedDecodingContainer<Key>, JsonKeyedContainer<Key>, JsonKeyedEncoder<Key>>(
                    for: $0
                )
            }
            // Not with `map`, which looks up the type of its result.
            guard let maker else { return nil }
            return Unmanaged.fromOpaque(maker.toOpaque())
        #endif
    }
}
