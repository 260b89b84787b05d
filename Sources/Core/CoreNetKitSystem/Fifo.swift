/// Elements in the order in which they came; both ends cost the same however many there are.
package struct Fifo<Element> {
    private var elements: [Element] = []
    /// The position of the first element; those before it have left.
    private var front = 0

    package init() {}

    package var isEmpty: Bool { front == elements.count }
    package var count: Int { elements.count - front }

    package var first: Element? { isEmpty ? nil : elements[front] }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard front < elements.count else { return nil }
        let first = elements[front]
        front += 1
        if front == elements.count {
            elements.removeAll(keepingCapacity: front <= 64)
            front = 0
        } else if front > 64, front * 2 > elements.count {
            elements.removeFirst(front)
            front = 0
        }
        return first
    }

    /// - Returns: Whether there was one.
    package mutating func remove(where isMeant: (Element) -> Bool) -> Bool {
        guard let index = elements[front...].firstIndex(where: isMeant) else { return false }
        elements.remove(at: index)
        return true
    }

    package mutating func takeAll() -> [Element] {
        defer { self = Fifo() }
        return Array(elements[front...])
    }
}

extension Fifo: Sendable where Element: Sendable {}
