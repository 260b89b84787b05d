/// A first-in, first-out queue that releases an element when it is taken.
struct Fifo<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }

    var first: Element? { isEmpty ? nil : elements[head] }

    /// The elements that wait, oldest first.
    var waiting: [Element] { elements[head...].compactMap(\.self) }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Inserts an element before the last ones that `yields` lets pass.
    mutating func insert(_ element: Element, beforeTrailing yields: (Element) -> Bool) {
        var index = elements.count
        while index > head, let other = elements[index - 1], yields(other) { index -= 1 }
        elements.insert(element, at: index)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll()
            head = 0
        }
        return element
    }

    mutating func replaceAll(with waiting: [Element]) {
        elements = waiting
        head = 0
    }
}

extension Fifo: Sendable where Element: Sendable {}
