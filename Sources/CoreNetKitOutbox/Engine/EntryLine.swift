/// Entries by their place: what comes last is cheap to add, and what stands first to take away.
struct EntryLine: Sendable {
    private struct Stop: Sendable {
        let place: UInt64
        let number: UInt64

        static func < (left: Stop, right: Stop) -> Bool { (left.place, left.number) < (right.place, right.number) }
    }

    private var stops: [Stop] = []
    /// Where the first one stands: those before it have left.
    private var front = 0

    var isEmpty: Bool { front == stops.count }
    var first: (place: UInt64, number: UInt64)? { isEmpty ? nil : (stops[front].place, stops[front].number) }
    /// In their order.
    var numbers: [UInt64] { stops[front...].map(\.number) }

    mutating func insert(_ number: UInt64, at place: UInt64) {
        let stop = Stop(place: place, number: number)
        if stops.last.map({ $0 < stop }) ?? true { return stops.append(stop) }
        stops.insert(stop, at: index(of: stop))
    }

    mutating func remove(_ number: UInt64, at place: UInt64) {
        let stop = Stop(place: place, number: number)
        let index = index(of: stop)
        guard index < stops.count, stops[index].number == number else { return }
        guard index == front else {
            stops.remove(at: index)
            return
        }
        front += 1
        if front == stops.count { (stops, front) = ([], 0) }
        if front > 32, front * 2 > stops.count {
            stops.removeFirst(front)
            front = 0
        }
    }

    /// Where a stop stands, or would stand.
    private func index(of stop: Stop) -> Int {
        var (low, high) = (front, stops.count)
        while low < high {
            let middle = (low + high) / 2
            if stops[middle] < stop { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What one owner has in a queue: what is to be sent, and what somebody has to decide about.
struct EntryLane: Sendable {
    let owner: String?
    var live = EntryLine()
    var letters = EntryLine()

    var isEmpty: Bool { live.isEmpty && letters.isEmpty }
}

/// A queue, apart for each owner: whoever is absent is not looked at.
struct EntryQueue: Sendable {
    /// Tells which queue came first.
    let rank: Int
    /// The one entry that is on its way.
    var sending: UInt64?
    private(set) var lanes: [EntryLane] = []

    init(rank: Int) { self.rank = rank }

    var isEmpty: Bool { lanes.isEmpty }

    mutating func change(_ owner: String?, _ body: (inout EntryLane) -> Void) {
        let index = lanes.firstIndex { $0.owner == owner } ?? lanes.count
        if index == lanes.count { lanes.append(EntryLane(owner: owner)) }
        body(&lanes[index])
        if lanes[index].isEmpty { lanes.remove(at: index) }
    }
}
