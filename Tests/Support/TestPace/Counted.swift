import CoreNetKitSystem

/// An element that counts how often it is compared or hashed: what a structure costs, in steps and not in time.
package struct Counted: Hashable, Sendable {
    /// The count that elements share.
    package final class Steps: Sendable {
        private let locked = Locked(0)

        package init() {}

        package var count: Int { locked.withLock { $0 } }
        fileprivate func add() { locked.withLock { $0 += 1 } }
    }

    package let number: Int
    private let steps: Steps

    package init(_ number: Int, _ steps: Steps) {
        self.number = number
        self.steps = steps
    }

    /// One of another number that is counted with this one.
    package func named(_ number: Int) -> Counted { Counted(number, steps) }

    package static func == (left: Counted, right: Counted) -> Bool {
        left.steps.add()
        return left.number == right.number
    }

    package func hash(into hasher: inout Hasher) {
        steps.add()
        hasher.combine(number)
    }

    /// How many times as much 16 000 cost as 1000: near 16 where each costs the same, 256 where each looks at all.
    package static func growth(_ run: (_ elements: [Counted]) -> Void) -> Double {
        let counts = [1000, 16_000].map { size in
            let steps = Steps()
            run((0..<size).map { Counted($0, steps) })
            return Double(steps.count)
        }
        return counts[1] / max(counts[0], 1)
    }
}
