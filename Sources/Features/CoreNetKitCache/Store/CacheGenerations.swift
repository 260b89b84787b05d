import CoreNetKitSystem

/// The invalidation generations at the time of a look-up: numbers that are only compared for equality.
///
/// A stored response carries the generations of the look-up before its exchange. If one of them differs now, the URL
/// was invalidated or the partition was emptied in the meantime.
public struct CacheGenerations: Sendable, Hashable {
    /// Changes with every invalidation of the URL, in any partition, and with some old ones of its origin.
    public var url: UInt64
    /// Changes when the partition is emptied, and when some others are.
    public var partition: UInt64
    /// Changes with every invalidation of any group (RFC 9875).
    public var anyGroup: UInt64

    /// Creates generations.
    public init(url: UInt64 = 0, partition: UInt64 = 0, anyGroup: UInt64 = 0) {
        (self.url, self.partition, self.anyGroup) = (url, partition, anyGroup)
    }
}

/// The generations of a storage, a table of bounded size: an invalidation costs the same however much is stored.
///
/// The last 8 192 invalidations of URLs are exact: a write invalidates its URL and the URL's path, so these are at
/// least 4 096 writes to one URL each. An older invalidation is one of its whole origin. Groups share 4 096 generations
/// by a hash of their names, partitions 1 024. A collision causes one unnecessary validation. A generation is a random
/// number that an invalidation replaces: two concurrent invalidations need not agree, and responses that were
/// stored before a table was lost are misses.
public struct CacheGenerationTable: Sendable {
    /// The number of slots for URLs and groups; slots are below it.
    public static let slots = 4096
    static let partitionSlots = 1024
    static let count = slots + partitionSlots + 1
    package static let anyGroup = slots + partitionSlots

    /// All numbers, in the order of their slots.
    var numbers: [UInt64]
    /// The recent invalidations of single URLs; `nil` before the first invalidation, and if they were lost.
    var marks: RecentMarks?

    /// Creates a table whose generations differ from those of any other one.
    public init() { numbers = Self.random() }

    init(_ numbers: [UInt64], _ marks: RecentMarks?) { (self.numbers, self.marks) = (numbers, marks) }

    /// The current generations of a resource.
    public func generations(of key: CacheKey) -> CacheGenerations {
        CacheGenerations(
            url: numbers[key.slot] &+ (marks?.offset(of: key) ?? 0),
            partition: numbers[key.partitionSlot],
            anyGroup: numbers[Self.anyGroup]
        )
    }

    /// The current generations of some slots; zero for a number that is no slot.
    public func numbers(at slots: [Int]) -> [UInt64] {
        slots.map { slot in
            guard numbers.indices ~= slot else { return 0 }
            return numbers[slot] &+ (slot < Self.slots ? marks?.correction(at: slot) ?? 0 : 0)
        }
    }

    /// Changes the generations that an invalidation names.
    public mutating func invalidate(_ invalidation: CacheInvalidation) { _ = invalidateExactly(invalidation) }

    /// The same; returns the indices of the words of ``marks`` that have changed, in the order in which to write them.
    mutating func invalidateExactly(_ invalidation: CacheInvalidation) -> [Int] {
        change(CacheInvalidation(groups: invalidation.groups).slots)
        if !invalidation.resources.isEmpty, marks == nil { marks = RecentMarks() }
        return invalidation.resources.flatMap { key in
            let old = numbers[key.slot]
            change([key.slot])
            return marks?.add(key, correction: old &- numbers[key.slot]) ?? []
        }
    }

    /// Changes the generations of slots, which others may share.
    mutating func change(_ slots: [Int]) {
        for slot in slots where numbers.indices ~= slot { numbers[slot] = .random(in: 1 ... .max) }
    }

    /// Changes the generation of a partition, or all generations.
    public mutating func invalidate(partition: String?) {
        guard let partition else { return numbers = Self.random() }
        numbers[CacheKey.slot(ofPartition: partition)] = .random(in: 1 ... .max)
    }

    private static func random() -> [UInt64] {
        // One system random number for the whole table.
        var random = SplitMix64(seed: .random(in: .min ... .max))
        return (0..<count).map { _ in random.next() }
    }
}

/// Invalidates resources, in every partition, and groups of responses (RFC 9875): they must be validated from now on.
public struct CacheInvalidation: Sendable, Hashable {
    /// The resources; their partitions do not matter.
    public let resources: [CacheKey]
    /// The slots of groups, ``CacheKey/slot(ofGroup:)``.
    public let groups: [Int]

    /// Creates an invalidation of resources, and of groups by their slots.
    public init(_ resources: [CacheKey] = [], groups: [Int] = []) {
        (self.resources, self.groups) = (resources, groups)
    }

    /// All slots whose generations change, in this order: the generation of all groups before those of groups.
    public var slots: [Int] { (groups.isEmpty ? [] : [CacheGenerationTable.anyGroup] + groups) + resources.map(\.slot) }
}
