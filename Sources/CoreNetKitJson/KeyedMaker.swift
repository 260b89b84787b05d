import Synchronization

/// A maker whose type of keys is known by its identity only.
class AnyKeyedMaker: AnyMaker, @unchecked Sendable {
    /// The place of the container that the last document has left; one for each type of keys in the process.
    let spare = Atomic<Unmanaged<JsonPlace>?>(nil)
}

/// Makes containers for the keys of one type.
///
/// The runtime takes some 500 instructions to find the types of a container and what they conform to, each time that a generic
/// function asks. An object that was made with these types has them at hand, and there is one for each type of keys.
///
/// `Container` is `KeyedDecodingContainer<Key>`.
class KeyedMaker<Key, Container: JsonReusedContainer>: AnyKeyedMaker, @unchecked Sendable where Container.Key == Key {
    fileprivate func making(_ place: JsonPlace) -> Container { Container(JsonKeyedContainer<Key>(place: place)) }

    /// A container for a place, which keeps it to be used again.
    func decoding(at place: JsonPlace) -> Container {
        let container = making(place)
        place.keep(container)
        return container
    }

    /// A container that is used again, by its box.
    func decoding(_ box: AnyObject) -> Container { unsafeBitCast(box, to: Container.self) }

    func encoding(_ draft: JsonDraft, _ node: UInt32, convertsNames: Bool) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JsonKeyedEncoder<Key>(draft: draft, node: node, convertsNames: convertsNames))
    }
}

/// A container of the standard library, as a parameter of a type: what is one need not be looked up.
protocol JsonReusedContainer {
    associatedtype Key: CodingKey
    init<Container: KeyedDecodingContainerProtocol>(_ container: Container) where Container.Key == Key
}

extension KeyedDecodingContainer: JsonReusedContainer {}

/// A container of a place in a document.
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

    /// The maker for a type of keys; `nil` where its place is taken, and for all where `CORENETKIT_PLAIN_JSON` was set for the
    /// build, decision 31: then each object gets a container of its own.
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
            // Not by `map`, which looks up the type of what it returns.
            guard let maker else { return nil }
            return Unmanaged.fromOpaque(maker.toOpaque())
        #endif
    }
}
