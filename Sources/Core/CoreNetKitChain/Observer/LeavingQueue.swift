/// An element that may leave a queue before its turn.
package protocol Leaving {
    /// Identifies one element that leaves, or all that leave together.
    associatedtype Mark: Hashable
    /// `nil` for an element that always waits for its turn.
    var mark: Mark? { get }
}

/// A queue like ``ShortQueue`` in which leaving costs no more than entering.
///
/// An element that leaves is replaced by a gap, which is skipped later; a queue with mostly gaps is compacted. Positions
/// are indexed from the first time that an element leaves a queue that is too long for a linear search.
package struct LeavingQueue<Element: Leaving> {
    /// The maximum length for a linear search.
    private static var short: Int { 16 }

    private var head: Element?
    /// The elements after the head; the last one is never a gap.
    private var tail: [Element?] = []
    private var next = 0
    /// The number of gaps in the tail.
    private var left = 0
    private var places: [Element.Mark: [Int]]?

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
        if let mark = element.mark { places?[mark, default: []].append(tail.count) }
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
        self = LeavingQueue()
        for element in elements { append(element) }
    }

    package mutating func popFirst() -> Element? {
        guard let first = head.take() else { return nil }
        moveUp()
        return first
    }

    /// Removes all elements with a mark; moves them to `gone`, because their deinit must not run here.
    package mutating func remove(_ mark: Element.Mark, into gone: inout LeavingQueue) {
        while let first = head, first.mark == mark {
            gone.append(first)
            head = nil
            moveUp()
        }
        if places == nil, tail.count - next <= Self.short {
            for place in next..<tail.count where tail[place]?.mark == mark { take(place, into: &gone) }
        } else {
            know()
            for place in places?.removeValue(forKey: mark) ?? [] { take(place, into: &gone) }
        }
        tidy()
    }

    private mutating func take(_ place: Int, into gone: inout LeavingQueue) {
        guard let element = tail[place].take() else { return }
        gone.append(element)
        left += 1
    }

    /// Makes the next element of the tail the head.
    private mutating func moveUp() {
        while head == nil, next < tail.count {
            head = tail[next].take()
            if let mark = head?.mark, places != nil { forget(mark) }
            if head == nil { left -= 1 }
            next += 1
        }
        tidy()
    }

    /// Updates the index after the first element of a mark has left the tail.
    private mutating func forget(_ mark: Element.Mark) {
        guard let count = places?[mark]?.count else { return }
        if count == 1 { places?[mark] = nil } else { places?[mark]?.removeFirst() }
    }

    private mutating func tidy() {
        while tail.count > next, tail[tail.count - 1] == nil {
            tail.removeLast()
            left -= 1
        }
        if next == tail.count {
            if !tail.isEmpty { tail = [] }
            (next, left, places) = (0, 0, nil)
        } else if next + left > 32, (next + left) * 2 > tail.count {
            tail = tail[next...].filter { $0 != nil }
            (next, left, places) = (0, 0, nil)
        }
    }

    private mutating func know() {
        guard places == nil else { return }
        var found: [Element.Mark: [Int]] = [:]
        for place in next..<tail.count {
            if let mark = tail[place]?.mark { found[mark, default: []].append(place) }
        }
        places = found
    }
}

extension LeavingQueue: Sendable where Element: Sendable, Element.Mark: Sendable {}
