/// A segment of a file, loaded by one request.
struct DownloadSegment: Codable, Hashable, Sendable {
    let start: Int
    /// The offset after its last byte, where the next segment begins.
    var end: Int
    /// How many of its bytes are in the file.
    var done = 0
    /// How many of them are synced to the disk.
    var synced = 0

    var rest: Range<Int> { start + done..<end }
}

/// The plan of a segmented download: the segments and the progress of each; contiguous, they cover the file.
struct SegmentPlan: Codable, Hashable, Sendable {
    /// The minimum size of a segment when one is divided.
    static let least = 1 << 20

    private(set) var segments: [DownloadSegment]

    /// Plans a file of which `held` first bytes may be there already, `synced` of them synced to the disk.
    init(total: Int, held: Int = 0, synced: Int = 0) {
        let held = min(held, total)
        segments = [DownloadSegment(start: 0, end: total, done: held, synced: min(synced, held))]
    }

    var total: Int { segments.last?.end ?? 0 }
    var done: Int { segments.reduce(0) { $0 + $1.done } }
    /// How many bytes would be lost if the machine crashed now.
    var unsynced: Int { segments.reduce(0) { $0 + $1.done - $1.synced } }

    var isSound: Bool {
        var place = 0
        for segment in segments {
            guard segment.start == place, segment.end >= place, 0...(segment.end - place) ~= segment.done,
                0...segment.done ~= segment.synced
            else { return false }
            place = segment.end
        }
        return !segments.isEmpty
    }

    /// The plan after a restart of the machine, which keeps synced bytes only.
    func onDisk() -> SegmentPlan {
        var plan = self
        for index in plan.segments.indices { plan.segments[index].done = plan.segments[index].synced }
        return plan
    }

    /// Divides the longest remaining ranges until there are `count` of them.
    mutating func split(into count: Int, least: Int = least) {
        while segments.count(where: { !$0.rest.isEmpty }) < count {
            let longest = segments.indices.max { segments[$0].rest.count < segments[$1].rest.count }
            guard let longest, segments[longest].rest.count >= 2 * least else { return }
            let rest = segments[longest].rest
            let middle = rest.lowerBound + rest.count / 2
            segments.insert(DownloadSegment(start: middle, end: segments[longest].end), at: longest + 1)
            segments[longest].end = middle
        }
    }

    var open: [Int] { segments.indices.filter { !segments[$0].rest.isEmpty } }

    mutating func wrote(_ count: Int, in index: Int) { segments[index].done += count }

    mutating func synced() { for index in segments.indices { segments[index].synced = segments[index].done } }
}
