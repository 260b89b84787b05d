/// The members of a JSON object in the order they were written, including duplicate names.
package struct JsonObject: Sendable {
    typealias Member = (key: String, value: Json)

    /// From this size on a table finds a key faster than a linear search.
    private static let indexedSize = 16

    private(set) var members: [Member]
    /// The first position of each key; `nil` for small objects.
    private var positions: [String: Int]?

    init(_ members: [Member]) {
        self.members = members
        reindex()
    }

    /// The member with that name; the first one if there are two, as in `JSONDecoder`.
    subscript(key: String) -> Json? {
        get { position(of: key).map { members[$0].value } }
        set {
            guard let newValue else {
                members.removeAll { $0.key == key }
                return reindex()
            }
            guard let position = position(of: key) else {
                members.append((key, newValue))
                if positions != nil { positions?[key] = members.count - 1 } else { reindex() }
                return
            }
            members[position].value = newValue
            // No name occurs twice, or one of few members may.
            guard positions?.count != members.count, members[(position + 1)...].contains(where: { $0.key == key })
            else { return }
            members = members.enumerated().filter { $0.offset == position || $0.element.key != key }.map(\.element)
            reindex()
        }
    }

    private func position(of key: String) -> Int? {
        guard let positions else { return members.firstIndex { $0.key == key } }
        return positions[key]
    }

    private mutating func reindex() {
        guard members.count >= Self.indexedSize else { return positions = nil }
        positions = Dictionary(zip(members.lazy.map(\.key), members.indices), uniquingKeysWith: { first, _ in first })
    }

    /// The first member with each name.
    package var dictionary: [String: Json] {
        Dictionary(members.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// All values of each name, in order.
    fileprivate var groups: [String: [Json]] {
        members.reduce(into: [:]) { $0[$1.key, default: []].append($1.value) }
    }
}

/// Order does not matter, except between members with one name.
extension JsonObject: Hashable {
    package static func == (left: JsonObject, right: JsonObject) -> Bool {
        left.members.count == right.members.count && left.groups == right.groups
    }

    package func hash(into hasher: inout Hasher) {
        groups.hash(into: &hasher)
    }
}
