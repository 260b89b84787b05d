/// An element that can be removed from a queue before its turn.
package protocol QueueRemovable {
    /// Identifies one element, or all that are removed together.
    associatedtype RemovalKey: Hashable
    /// `nil` for an element that always waits for its turn.
    var removalKey: RemovalKey? { get }
}

/// A queue in which removing costs no more than appending, and whose first element needs no allocation: most observers have
/// one listener and one outcome.
///
/// An element that has left is not kept until others leave, as in a `Fifo`, because its deinit may run foreign code. A removed
/// one is replaced by a gap, which is skipped later; a queue with mostly gaps is compacted. Positions are indexed from the
/// first time that an element is removed from a queue that is too long for a linear search.
package struct RemovalQueue<Element: QueueRemovable> {
    /// The maximum length for a linear search.
    private static var short: Int { 16 }

    private var head: Element?
    /// The elements after the head; the last one is never a gap.
    private var tail: [Element?] = []
    private var next = 0
    /// The number of gaps in the tail.
    private var gaps = 0
    private var positions: [Element.RemovalKey: [Int]]?

    package init() {}

    package init(_ element: Element) { head = element }

    package var isEmpty: Bool { head == nil }

    package var first: Element? { head }

    /// All elements, oldest first.
    package var elements: [Element] {
        guard let head else { return [] }
        return [head] + tail[next...].compactMap(\.self)
    }

    package func forEach(_ body: (Element) -> Void) {
        guard let head else { return }
        body(head)
        for index in next..<tail.count {
            if let element = tail[index] { body(element) }
        }
    }

    package mutating func append(_ element: Element) {
        guard head != nil else { return head = element }
        if let removalKey = element.removalKey { positions?[removalKey, default: []].append(tail.count) }
        tail.append(element)
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
        self = RemovalQueue()
        for element in elements { append(element) }
    }

    package mutating func popFirst() -> Element? {
        guard let first = head.take() else { return nil }
        moveUp()
        return first
    }

    /// Removes all elements with a key; moves them to `removed`, because their deinit must not run here.
    package mutating func remove(_ removalKey: Element.RemovalKey, into removed: inout RemovalQueue) {
        while let first = head, first.removalKey == removalKey {
            removed.append(first)
            head = nil
            moveUp()
        }
        if positions == nil, tail.count - next <= Self.short {
            for position in next..<tail.count where tail[position]?.removalKey == removalKey {
                take(position, into: &removed)
            }
        } else {
            indexPositions()
            for position in positions?.removeValue(forKey: removalKey) ?? [] { take(position, into: &removed) }
        }
        compact()
    }

    private mutating func take(_ position: Int, into removed: inout RemovalQueue) {
        guard let element = tail[position].take() else { return }
        removed.append(element)
        gaps += 1
    }

    /// Makes the next element of the tail the head.
    private mutating func moveUp() {
        while head == nil, next < tail.count {
            head = tail[next].take()
            if let removalKey = head?.removalKey, positions != nil { forget(removalKey) }
            if head == nil { gaps -= 1 }
            next += 1
        }
        compact()
    }

    /// Updates the index after the first element of a key has left the tail.
    private mutating func forget(_ removalKey: Element.RemovalKey) {
        guard let count = positions?[removalKey]?.count else { return }
        if count == 1 { positions?[removalKey] = nil } else { positions?[removalKey]?.removeFirst() }
    }

    private mutating func compact() {
        while tail.count > next, tail[tail.count - 1] == nil {
            tail.removeLast()
            gaps -= 1
        }
        if next == tail.count {
            if !tail.isEmpty { tail = [] }
            (next, gaps, positions) = (0, 0, nil)
        } else if next + gaps > 32, (next + gaps) * 2 > tail.count {
            tail = tail[next...].filter { $0 != nil }
            (next, gaps, positions) = (0, 0, nil)
        }
    }

    private mutating func indexPositions() {
        guard positions == nil else { return }
        var found: [Element.RemovalKey: [Int]] = [:]
        for position in next..<tail.count {
            if let removalKey = tail[position]?.removalKey { found[removalKey, default: []].append(position) }
        }
        positions = found
    }
}

extension RemovalQueue: Sendable where Element: Sendable, Element.RemovalKey: Sendable {}
