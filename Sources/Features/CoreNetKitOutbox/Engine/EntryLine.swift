/// Entries ordered by position; appending at the end and removing at the front are cheap.
///
/// Most queues hold a single entry, so one entry needs no array.
enum EntryLine: Sendable {
    struct Stop: Sendable {
        let place: UInt64
        let number: UInt64

        static func < (left: Stop, right: Stop) -> Bool { (left.place, left.number) < (right.place, right.number) }
    }

    case empty
    case one(Stop)
    /// Entries before `front` have left; at least one has not.
    case many([Stop], front: Int)

    var isEmpty: Bool { if case .empty = self { true } else { false } }

    var first: (place: UInt64, number: UInt64)? {
        switch self {
        case .empty: nil
        case .one(let stop): (stop.place, stop.number)
        case .many(let stops, let front): (stops[front].place, stops[front].number)
        }
    }

    /// The numbers in order.
    var numbers: [UInt64] {
        switch self {
        case .empty: []
        case .one(let stop): [stop.number]
        case .many(let stops, let front): stops[front...].map(\.number)
        }
    }

    mutating func insert(_ number: UInt64, at place: UInt64) {
        let stop = Stop(place: place, number: number)
        switch self {
        case .empty: self = .one(stop)
        case .one(let other): self = .many(other < stop ? [other, stop] : [stop, other], front: 0)
        case .many(var stops, let front):
            // Releases the array first: it would be copied while `self` still holds it.
            self = .empty
            if stops[stops.count - 1] < stop {
                stops.append(stop)
            } else {
                stops.insert(stop, at: Self.index(of: stop, in: stops, from: front))
            }
            self = .many(stops, front: front)
        }
    }

    mutating func remove(_ number: UInt64, at place: UInt64) {
        switch self {
        case .empty: break
        case .one(let stop): if stop.number == number { self = .empty }
        case .many(var stops, let front):
            let index = Self.index(of: Stop(place: place, number: number), in: stops, from: front)
            guard index < stops.count, stops[index].number == number else { return }
            self = .empty
            guard index == front else {
                stops.remove(at: index)
                self = .many(stops, front: front)
                return
            }
            guard front + 1 < stops.count else { return }
            self = .left(stops, front: front + 1)
        }
    }

    /// The line after its first entry has left; the space of earlier ones is freed from time to time.
    private static func left(_ stops: consuming [Stop], front: Int) -> EntryLine {
        guard front > 32, front * 2 > stops.count else { return .many(stops, front: front) }
        stops.removeFirst(front)
        return .many(stops, front: 0)
    }

    /// The index of a stop, or where it would be inserted.
    private static func index(of stop: Stop, in stops: [Stop], from front: Int) -> Int {
        var (low, high) = (front, stops.count)
        while low < high {
            let middle = (low + high) / 2
            if stops[middle] < stop { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The entries of one owner in a queue: those to send, and the dead letters.
struct EntryLane: Sendable {
    let owner: String?
    var live = EntryLine.empty
    var letters = EntryLine.empty

    var isEmpty: Bool { live.isEmpty && letters.isEmpty }
}

/// A queue, split by owner: entries of absent owners are never scanned.
struct EntryQueue: Sendable {
    /// The order in which queues were created.
    let rank: Int
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
