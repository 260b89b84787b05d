/// A stretch of a file that one request loads.
package struct DownloadSegment: Codable, Hashable, Sendable {
    /// Where it begins.
    package let start: Int
    /// Where the next one begins.
    package var end: Int
    /// How many of its bytes are in the file.
    package var done = 0
    /// How many of them are on the disk, whatever happens to the machine.
    package var synced = 0

    package init(_ range: Range<Int>, done: Int = 0, synced: Int = 0) {
        (start, end, self.done, self.synced) = (range.lowerBound, range.upperBound, done, synced)
    }

    /// What is missing.
    package var rest: Range<Int> { start + done..<end }
}

/// How a file is loaded by several requests at once: which stretches there are, and how far each has come.
///
/// Plain values, without a file and a connection. The stretches stand one behind the other and cover the file.
package struct SegmentPlan: Codable, Hashable, Sendable {
    /// A stretch is not cut into shorter ones than this.
    package static let least = 1 << 20

    package private(set) var segments: [DownloadSegment]

    /// Plans a file of which the first bytes may be there.
    ///
    /// - Parameters:
    ///   - total: How long it is.
    ///   - held: How many of its first bytes are in the file.
    ///   - synced: How many of them are on the disk.
    package init(total: Int, held: Int = 0, synced: Int = 0) {
        let held = min(held, total)
        segments = [DownloadSegment(0..<total, done: held, synced: min(synced, held))]
    }

    package var total: Int { segments.last?.end ?? 0 }
    /// How many bytes are there.
    package var done: Int { segments.reduce(0) { $0 + $1.done } }
    package var isComplete: Bool { segments.allSatisfy(\.rest.isEmpty) }
    /// How many bytes a machine that stops now would lose.
    package var unsynced: Int { segments.reduce(0) { $0 + $1.done - $1.synced } }

    /// Whether the stretches cover a file, none of them twice.
    package var isSound: Bool {
        var place = 0
        for segment in segments {
            guard segment.start == place, segment.end >= place, 0...(segment.end - place) ~= segment.done,
                0...segment.done ~= segment.synced
            else { return false }
            place = segment.end
        }
        return !segments.isEmpty
    }

    /// What is left of it when the machine was started anew.
    package func onDisk() -> SegmentPlan {
        var plan = self
        for index in plan.segments.indices { plan.segments[index].done = plan.segments[index].synced }
        return plan
    }

    /// Cuts the longest rests until there are so many.
    package mutating func spread(over count: Int, least: Int = least) {
        while segments.count(where: { !$0.rest.isEmpty }) < count {
            let longest = segments.indices.max { segments[$0].rest.count < segments[$1].rest.count }
            guard let longest, segments[longest].rest.count >= 2 * least else { return }
            let rest = segments[longest].rest
            let middle = rest.lowerBound + rest.count / 2
            segments.insert(DownloadSegment(middle..<segments[longest].end), at: longest + 1)
            segments[longest].end = middle
        }
    }

    /// Which stretches are to be loaded.
    package var open: [Int] { segments.indices.filter { !segments[$0].rest.isEmpty } }

    /// Notes bytes that were written.
    package mutating func wrote(_ count: Int, in index: Int) { segments[index].done += count }

    /// Notes that all that was written is on the disk.
    package mutating func synced() {
        for index in segments.indices { segments[index].synced = segments[index].done }
    }
}
