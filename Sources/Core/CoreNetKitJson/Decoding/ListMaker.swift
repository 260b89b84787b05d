/// Makes arrays of one type, and caches what would have to be looked up for each array.
class ListMaker<List>: AnyMaker, @unchecked Sendable {
    func list(from decoder: JsonDecoder) throws -> List { throw decoder.mismatch(List.self) }
}

private final class TypedListMaker<Element: Decodable>: ListMaker<[Element]>, @unchecked Sendable {
    override func list(from decoder: JsonDecoder) throws -> [Element] { try decoder.list(of: Element.self) }
}

/// An array of anything that can be decoded.
private protocol DecodableList {
    /// A `ListMaker` of this type.
    static func maker(for type: ObjectIdentifier) -> AnyMaker
}

extension Array: DecodableList where Element: Decodable {
    fileprivate static func maker(for type: ObjectIdentifier) -> AnyMaker { TypedListMaker<Element>(for: type) }
}

extension Makers {
    private static let lists = Makers()

    /// The maker for a type, if that is an array.
    @inline(__always)
    static func list<List>(_ type: List.Type) -> Unmanaged<ListMaker<List>>? {
        let maker = lists.maker(for: ObjectIdentifier(type)) { (type as? any DecodableList.Type)?.maker(for: $0) }
        guard let maker else { return nil }
        return Unmanaged.fromOpaque(maker.toOpaque())
    }
}
