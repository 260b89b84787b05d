/// Who waits, in the order of arrival; to leave costs no more than to come.
///
/// Who leaves is only marked, and skipped when its turn comes; a line of which most have left is closed up. Each stands
/// in it once.
package struct WaitingLine<Element: Hashable> {
    private var entries: [Element?] = []
    /// Where the first one stands.
    private var front = 0
    private var places: [Element: Int] = [:]

    package init() {}

    package var isEmpty: Bool { places.isEmpty }
    package var count: Int { places.count }
    package var first: Element? { isEmpty ? nil : entries[front] }

    /// All who wait, the first one first.
    package var elements: [Element] { entries[front...].compactMap(\.self) }

    package func contains(_ element: Element) -> Bool { places[element] != nil }

    /// Who stands in the line already keeps its place.
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

    /// - Returns: Whether it stood in the line.
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
