/// The most recent invalidations of single URLs, the marks of the file, and for older ones a number per origin.
///
/// Every mark also changes the generation of its URL's slot, which other URLs share; a correction undoes the change
/// for all of them. If marks are lost, so are the corrections: then more is validated, never less.
struct RecentMarks: Sendable {
    /// How many marks are kept: a write to a URL marks the URL and its path.
    static let capacity = 8192
    /// The words before the marks: their number, and for each slot the correction and the number of the origin.
    static let headWords = 1 + 2 * CacheGenerationTable.slots

    private var count: UInt64 = 0
    private var corrections = [UInt64](repeating: 0, count: CacheGenerationTable.slots)
    private var origins = [UInt64](repeating: 0, count: CacheGenerationTable.slots)
    /// Places and their numbers, alternating; a full ring starts again.
    private var ring: [UInt64] = []
    /// The index of the newest mark of a place in the ring.
    private var newest: [UInt64: Int] = [:]

    /// The number to add to the generation of a URL's slot: it changes with every mark of the URL.
    func offset(of key: CacheKey) -> UInt64 {
        corrections[key.slot] &+ origins[Self.origin(key.place)] &+ (newest[key.place].map { ring[2 * $0 + 1] } ?? 0)
    }

    /// The number to add to the generation of a slot of groups, so that marks of URLs do not change it.
    func correction(at slot: Int) -> UInt64 { corrections[slot] }

    /// Adds a mark, the oldest one becoming one of its whole origin; returns the words that have changed, the correction last.
    mutating func add(_ key: CacheKey, correction change: UInt64) -> [Int] {
        let index = Int(count % UInt64(Self.capacity))
        var words: [Int] = []
        if let origin = dropMark(at: index) {
            origins[origin] = .random(in: .min ... .max)
            words.append(1 + CacheGenerationTable.slots + origin)
        }
        put(key.place, Self.sealed(.random(in: .min ... .max), key.place, index), at: index)
        count &+= 1
        corrections[key.slot] &+= change
        return words + [Self.headWords + 2 * index, Self.headWords + 2 * index + 1, 0, 1 + key.slot]
    }

    /// Drops the mark at an index of the ring; returns the slot of its origin, if there is no newer mark of the same URL.
    private mutating func dropMark(at index: Int) -> Int? {
        guard 2 * index < ring.count, newest[ring[2 * index]] == index else { return nil }
        newest[ring[2 * index]] = nil
        return Self.origin(ring[2 * index])
    }

    private mutating func put(_ place: UInt64, _ number: UInt64, at index: Int) {
        if 2 * index < ring.count {
            (ring[2 * index], ring[2 * index + 1]) = (place, number)
        } else {
            ring += [place, number]
        }
        newest[place] = index
    }

    private static func origin(_ place: UInt64) -> Int {
        Int(truncatingIfNeeded: place & UInt64(CacheGenerationTable.slots - 1))
    }
}

/// The marks as the numbers of a file.
extension RecentMarks {
    subscript(word: Int) -> UInt64 {
        switch word {
        case 0: Self.sealed(count << 16, 0, Self.capacity)
        case ...CacheGenerationTable.slots: corrections[word - 1]
        case ..<Self.headWords: origins[word - 1 - CacheGenerationTable.slots]
        default: ring[word - Self.headWords]
        }
    }

    static var none: [UInt64] { [Self()[0]] + [UInt64](repeating: 0, count: headWords - 1 + 2 * capacity) }

    /// Loads the content of a file, of the marks only the new ones; returns whether the file is undamaged.
    mutating func update(by read: (Range<Int>) -> [UInt64]?) -> Bool {
        guard let head = read(0..<Self.headWords), head[0] == Self.sealed(head[0], 0, Self.capacity) else {
            return false
        }
        let total = head[0] >> 16
        if count > total || total - count > Self.capacity {
            self = Self()
            if total > Self.capacity {
                count = total - UInt64(Self.capacity)
                ring = [UInt64](repeating: 0, count: 2 * Self.capacity)
            }
        }
        while count < total {
            let index = Int(count % UInt64(Self.capacity))
            let end = min(Self.capacity, index + Int(total - count))
            guard let marks = read(Self.headWords + 2 * index..<Self.headWords + 2 * end) else { return false }
            for (offset, index) in (index..<end).enumerated() {
                let (place, number) = (marks[2 * offset], marks[2 * offset + 1])
                guard number == Self.sealed(number, place, index) else { return false }
                _ = dropMark(at: index)
                put(place, number, at: index)
            }
            count += UInt64(end - index)
        }
        corrections = Array(head[1...CacheGenerationTable.slots])
        origins = Array(head[(1 + CacheGenerationTable.slots)...])
        return true
    }

    /// A number whose last 16 bits are a checksum of the others, of another number and of its index.
    private static func sealed(_ number: UInt64, _ other: UInt64, _ index: Int) -> UInt64 {
        var sum = (number >> 16 ^ other) &+ UInt64(truncatingIfNeeded: index + 1)
        sum = (sum ^ sum >> 30) &* 0xBF58_476D_1CE4_E5B9
        sum = (sum ^ sum >> 27) &* 0x94D0_49BB_1331_11EB
        return number & ~0xFFFF | sum >> 48
    }
}
