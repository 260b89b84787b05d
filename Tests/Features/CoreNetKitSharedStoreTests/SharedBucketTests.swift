import CoreNetKitMock
import CoreNetKitSharedStore
import TestPace
import Testing

@Suite("A shared bucket's settings", .timeLimit(.minutes(10)), .paced)
struct SharedBucketTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var tokens = 1
        var period = Duration.seconds(1)
        var burst = 2
        var longestWait = Duration.zero
        var taken = 1
        /// What a refusal names; `nil` for what is accepted.
        let word: String?

        var testDescription: String {
            "\(tokens) per \(period), \(burst), \(longestWait), \(taken): \(word ?? "accepted")"
        }
    }

    private static let day = Duration.seconds(86_400)
    private static let least = Duration.microseconds(1)

    private static let rows: [Row] = [
        Row(tokens: 0, word: "tokens"), Row(tokens: 1, word: nil), Row(tokens: 1_000_000, word: nil),
        Row(tokens: 1_000_001, word: "tokens"),
        Row(period: .milliseconds(1) - least, word: "period"), Row(period: .milliseconds(1), word: nil),
        Row(period: day, word: nil), Row(period: day + least, word: "period"),
        Row(burst: 0, word: "burst"), Row(burst: 1, word: nil), Row(burst: 100_000, word: nil),
        Row(burst: 100_001, word: "burst"),
        Row(longestWait: .zero - least, word: "wait"), Row(longestWait: day, word: nil),
        Row(longestWait: day + least, word: "wait"),
        Row(taken: 0, word: "at once"), Row(taken: 2, word: nil), Row(taken: 3, word: "at once"),
    ]

    @Test("are accepted up to their limits, and refused beyond them by name", arguments: rows)
    func limits(row: Row) async {
        let bucket = SharedBucket(
            SharedKey(kind: "k", "n"),
            tokens: row.tokens,
            per: row.period,
            burst: row.burst,
            longestWait: row.longestWait
        )
        var problem: SharedStoreError?
        do throws(SharedStoreError) {
            _ = try await LocalStore(clock: ManualClock()).take(row.taken, of: bucket)
        } catch {
            problem = error
        }
        #expect(problem?.code == (row.word == nil ? nil : .invalid))
        if let word = row.word { #expect(problem?.message.contains(word) == true) }
    }
}
