/// Waiting elements in order of arrival; removal costs no more than insertion.
///
/// An element that leaves is only marked, and skipped when its turn comes; a line with mostly such elements is compacted.
/// Each element is in it at most once.
package struct WaitingLine<Element: Hashable> {
    private var entries: [Element?] = []
    /// The position of the first element.
    private var front = 0
    private var places: [Element: Int] = [:]

    package init() {}

    package var isEmpty: Bool { places.isEmpty }
    package var count: Int { places.count }
    package var first: Element? { isEmpty ? nil : entries[front] }

    /// All waiting elements, the first one first.
    package var elements: [Element] { entries[front...].compactMap(\.self) }

    package func contains(_ element: Element) -> Bool { places[element] != nil }

    /// Appends an element; one that is already in the line keeps its place.
    package mutating func append(_ element: Element) {
        guard places[element] == nil else { return }
        places[element] = entries.count
        entries.append(element)
    }

    package mutating func popFirst() -> Element? {
        guard let first else { return nil }
        remove(first)
        return first
    }

    /// - Returns: Whether it was in the line.
    @discardableResult
    package mutating func remove(_ element: Element) -> Bool {
        guard let place = places.removeValue(forKey: element) else { return false }
        entries[place] = nil
        if places.isEmpty {
            self = WaitingLine()
            return true
        }
        while entries[front] == nil { front += 1 }
        if entries.count > 32, places.count * 2 < entries.count { closeUp() }
        return true
    }

    private mutating func closeUp() {
        entries = elements
        front = 0
        for (place, element) in entries.enumerated() {
            if let element { places[element] = place }
        }
    }
}

extension WaitingLine: Sendable where Element: Sendable {}

extension WaitingLine: Hashable {
    package static func == (left: WaitingLine, right: WaitingLine) -> Bool { left.elements == right.elements }
    package func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}
