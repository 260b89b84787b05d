/// Waiting elements in order of arrival; removal costs no more than insertion.
///
/// An element that leaves is only marked, and skipped when its turn comes; a queue with mostly such elements is compacted.
/// Each element is in it at most once.
package struct WaitQueue<Element: Hashable> {
    private var entries: [Element?] = []
    private var front = 0
    private var positions: [Element: Int] = [:]

    package init() {}

    package var isEmpty: Bool { positions.isEmpty }
    package var count: Int { positions.count }
    package var first: Element? { isEmpty ? nil : entries[front] }

    package var elements: [Element] { entries[front...].compactMap(\.self) }

    package func contains(_ element: Element) -> Bool { positions[element] != nil }

    /// Appends an element; one that is already in the queue keeps its position.
    package mutating func append(_ element: Element) {
        guard positions[element] == nil else { return }
        positions[element] = entries.count
        entries.append(element)
    }

    package mutating func popFirst() -> Element? {
        guard let first else { return nil }
        remove(first)
        return first
    }

    package mutating func takeAll() -> [Element] {
        defer { self = WaitQueue() }
        return elements
    }

    /// - Returns: Whether it was in the queue.
    @discardableResult
    package mutating func remove(_ element: Element) -> Bool {
        guard let position = positions.removeValue(forKey: element) else { return false }
        entries[position] = nil
        if positions.isEmpty {
            self = WaitQueue()
            return true
        }
        while entries[front] == nil { front += 1 }
        if entries.count > 32, positions.count * 2 < entries.count { closeUp() }
        return true
    }

    private mutating func closeUp() {
        entries = elements
        front = 0
        for (position, element) in entries.enumerated() {
            if let element { positions[element] = position }
        }
    }
}

extension WaitQueue: Sendable where Element: Sendable {}

extension WaitQueue: Hashable {
    package static func == (left: WaitQueue, right: WaitQueue) -> Bool { left.elements == right.elements }
    package func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}
