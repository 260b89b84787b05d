/// A queue that holds its first element without an allocation: most observers have one listener and one outcome.
package struct ShortQueue<Element> {
    private var head: Element?
    private var tail: [Element?] = []
    private var next = 0

    package init() {}

    package var isEmpty: Bool { head == nil }

    package var first: Element? { head }

    /// All elements, oldest first.
    package var elements: [Element] {
        guard let head else { return [] }
        return [head] + tail[next...].compactMap(\.self)
    }

    package mutating func append(_ element: Element) {
        if head == nil { head = element } else { tail.append(element) }
    }

    /// Inserts an element before the trailing elements that `letsPass` accepts.
    package mutating func insert(_ element: Element, beforeTrailing letsPass: (Element) -> Bool) {
        guard let last = tail.last ?? head, letsPass(last) else { return append(element) }
        var elements = elements
        let trailing = elements.reversed().prefix(while: letsPass).count
        elements.insert(element, at: elements.count - trailing)
        replaceAll(with: elements)
    }

    package mutating func replaceAll(with elements: some Sequence<Element>) {
        self = ShortQueue()
        for element in elements { append(element) }
    }

    package mutating func popFirst() -> Element? {
        guard let first = head.take() else { return nil }
        guard next < tail.count else { return first }
        head = tail[next].take()
        next += 1
        if next == tail.count {
            tail.removeAll()
            next = 0
        }
        return first
    }

    package func forEach(_ body: (Element) -> Void) {
        guard let head else { return }
        body(head)
        for index in next..<tail.count {
            if let element = tail[index] { body(element) }
        }
    }
}

extension ShortQueue: Sendable where Element: Sendable {}
