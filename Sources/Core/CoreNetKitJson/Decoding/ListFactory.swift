/// Makes arrays of one type, and caches what would have to be looked up for each array.
class ListFactory<List>: AnyFactory, @unchecked Sendable {
    func list(from decoder: JsonDecoder) throws -> List { throw decoder.mismatch(List.self) }
}

private final class TypedListFactory<Element: Decodable>: ListFactory<[Element]>, @unchecked Sendable {
    override func list(from decoder: JsonDecoder) throws -> [Element] { try decoder.list(of: Element.self) }
}

/// An array of anything that can be decoded.
private protocol DecodableList {
    /// A `ListFactory` of this type.
    static func factory(for type: ObjectIdentifier) -> AnyFactory
}

extension Array: DecodableList where Element: Decodable {
    fileprivate static func factory(for type: ObjectIdentifier) -> AnyFactory { TypedListFactory<Element>(for: type) }
}

extension FactoryTable {
    private static let lists = FactoryTable()

    /// The factory for a type, if that is an array.
    @inline(__always)
    static func list<List>(_ type: List.Type) -> Unmanaged<ListFactory<List>>? {
        let factory = lists.factory(for: ObjectIdentifier(type)) { (type as? any DecodableList.Type)?.factory(for: $0) }
        guard let factory else { return nil }
        return Unmanaged.fromOpaque(factory.toOpaque())
    }
}
