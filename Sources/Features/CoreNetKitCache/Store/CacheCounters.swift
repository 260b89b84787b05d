/// The mark counters at the time of a look-up: numbers that are only compared for equality.
///
/// A stored response carries the counters of the look-up that its exchange began with. If one of them differs now, the
/// URL was marked or the partition was emptied in the meantime.
public struct CacheCounters: Sendable, Hashable {
    /// Changes with every mark of the URL, in whatever partition, and with some old ones of its origin.
    public var url: UInt64
    /// Changes when the partition is emptied, and with some others.
    public var partition: UInt64
    /// Changes with every mark of any group (RFC 9875).
    public var anyGroup: UInt64

    /// Creates counters.
    ///
    /// - Parameters:
    ///   - url: That of the URL.
    ///   - partition: That of the partition.
    ///   - anyGroup: That of all groups.
    public init(url: UInt64 = 0, partition: UInt64 = 0, anyGroup: UInt64 = 0) {
        (self.url, self.partition, self.anyGroup) = (url, partition, anyGroup)
    }
}

/// The counters of a storage: a table of bounded size, so that a mark costs the same however much is stored.
///
/// The last 8 192 marks of URLs are exact: a write marks its URL and the URL's path, so these are at least 4 096 writes to
/// one URL each. An older mark is one of its whole origin. Groups share 4 096 counters by a hash of their names, partitions
/// 1 024. A collision causes one unnecessary validation. A counter is not a sum but a random number that a mark replaces:
/// two concurrent marks need not agree, and responses that were stored before a table was lost are misses.
public struct CacheCounterTable: Sendable {
    /// How many URLs and groups are told apart: their slots are below this number.
    public static let slots = 4096
    /// How many counters there are.
    static let count = slots + partitionSlots + 1
    static let partitionSlots = 1024
    package static let anyGroup = slots + partitionSlots

    /// All numbers, in the order of their slots.
    var numbers: [UInt64]
    /// What tells URLs of a slot apart; `nil` before the first mark, and where it was lost.
    var marks: RecentMarks?

    /// Creates a table in which nothing is what it was in another one.
    public init() { numbers = Self.random() }

    init(_ numbers: [UInt64], _ marks: RecentMarks?) { (self.numbers, self.marks) = (numbers, marks) }

    /// The counters of a resource, as they are now.
    public func counters(of key: CacheKey) -> CacheCounters {
        CacheCounters(
            url: numbers[key.slot] &+ (marks?.offset(of: key) ?? 0),
            partition: numbers[key.partitionSlot],
            anyGroup: numbers[Self.anyGroup]
        )
    }

    /// The counters of some slots, as they are now; zero for a number that is no slot.
    public func numbers(at slots: [Int]) -> [UInt64] {
        slots.map { slot in
            guard numbers.indices ~= slot else { return 0 }
            return numbers[slot] &+ (slot < Self.slots ? marks?.correction(at: slot) ?? 0 : 0)
        }
    }

    /// Changes the counters that a mark names.
    public mutating func mark(_ mark: CacheMark) { _ = exactly(mark) }

    /// The same; what it returns are the numbers of ``marks`` that have changed, in the order in which a file has them.
    mutating func exactly(_ mark: CacheMark) -> [Int] {
        change(CacheMark(groups: mark.groups).slots)
        if !mark.resources.isEmpty, marks == nil { marks = RecentMarks() }
        return mark.resources.flatMap { key in
            let old = numbers[key.slot]
            change([key.slot])
            return marks?.add(key, correction: old &- numbers[key.slot]) ?? []
        }
    }

    /// Changes the counters of slots, with those of everything that shares them.
    mutating func change(_ slots: [Int]) {
        for slot in slots where numbers.indices ~= slot { numbers[slot] = .random(in: 1 ... .max) }
    }

    /// Changes the counter of a partition; without one all counters there are.
    public mutating func end(_ partition: String?) {
        guard let partition else { return numbers = Self.random() }
        numbers[CacheKey.slot(ofPartition: partition)] = .random(in: 1 ... .max)
    }

    private static func random() -> [UInt64] {
        var state = UInt64.random(in: .min ... .max)
        return (0..<count).map { _ in
            // SplitMix64: one number of the system's for the whole table.
            state &+= 0x9E37_79B9_7F4A_7C15
            var number = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
            return number ^ number >> 31
        }
    }
}

/// What must be validated from now on: resources, in every partition, and groups of responses (RFC 9875).
public struct CacheMark: Sendable, Hashable {
    /// The resources; their partitions do not matter.
    public let resources: [CacheKey]
    /// The slots of groups, ``CacheKey/slot(ofGroup:)``.
    public let groups: [Int]

    /// Creates a mark.
    ///
    /// - Parameters:
    ///   - resources: The resources; their partitions do not matter.
    ///   - groups: ``CacheKey/slot(ofGroup:)`` of each group.
    public init(_ resources: [CacheKey] = [], groups: [Int] = []) {
        (self.resources, self.groups) = (resources, groups)
    }

    /// All slots whose counters change, in the order in which they do.
    ///
    /// Where there are groups, the counter of all groups comes before theirs: who finds it as it was has read theirs before
    /// the mark.
    public var slots: [Int] { (groups.isEmpty ? [] : [CacheCounterTable.anyGroup] + groups) + resources.map(\.slot) }
}
