import CoreNetKitSharedStore
import TestSupport

@Suite("Shared values", .timeLimit(.minutes(10)), .paced)
struct SharedValuesTests {
    @Test(
        "have a key with one pair of braces, without its name, whatever the kind",
        arguments: ["token", "", "a b", "a}b", "{a:b}", "ü", "100%"]
    )
    func keys(kind: String) throws {
        let key = SharedKey(kind: kind, "the secret name")
        #expect(key.text.hasPrefix(SharedKey.prefix(of: kind)))
        #expect(key.text.hasSuffix("}:"))
        #expect(key.text.filter { "{}".contains($0) } == "{}")
        #expect(key.text.split(separator: ":", omittingEmptySubsequences: false).count == 4)
        #expect(!"\(key)".contains("secret"))
        let read = try #require(SharedKey(text: key.text + "v"))
        #expect(read == key)
        #expect(SharedKey(kind: read.kind, "the secret name") == key, "a kind that is encoded stays as it is")
        #expect(SharedKey(kind: kind, "another") != key)
        #expect(SharedKey(kind: kind + "x", "the secret name") != key)
    }

    @Test("have the digest that the name's SHA-256 begins with")
    func digest() { #expect(SharedKey(kind: "k", "abc").text == "{cnk:k:ba7816bf8f01cfea414140de5dae2223}:") }

    @Test(
        "are not read from other texts",
        arguments: [
            "", "{cnk:", "{cnk:}", "{cnk:k:}", "{cnk:k:ba7816bf}:", "{cnk:k:zz7816bf8f01cfea414140de5dae2223}:",
            "{cnk:a:k:ba7816bf8f01cfea414140de5dae2223}:", "{xyz:k:ba7816bf8f01cfea414140de5dae2223}:",
        ]
    )
    func others(text: String) { #expect(SharedKey(text: text) == nil) }

    @Test("are counted by a bucket to the microsecond, over any number of takers", arguments: 0..<60)
    func buckets(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let bucket = SharedBucket(
            SharedKey(kind: "k", "n"),
            tokens: .random(in: 1...3000, using: &random),
            per: .microseconds(.random(in: 1000...2_000_000, using: &random)),
            burst: .random(in: 1...50, using: &random),
            maximumWait: .microseconds([0, 5000].randomElement(using: &random) ?? 0)
        )
        let (rate, period) = (Int64(bucket.tokens), bucket.period.wholeMicroseconds)
        var level = BucketLevel()
        var now = Int64.random(in: 0...2_000_000_000_000_000, using: &random)
        // What is owed, in parts of a microsecond: exact, as the bucket should be.
        var owed: Int64 = 0
        for _ in 0..<400 {
            let step = Int64.random(in: 0...(3 * period / rate + 2), using: &random)
            now += step
            owed = max(0, owed - step * rate)
            let tokens = Int.random(in: 1...bucket.burst, using: &random)
            let next = owed + Int64(tokens) * period
            let wait = Double(next - Int64(bucket.burst) * period) / Double(rate)
            switch level.take(tokens, of: bucket, at: now) {
            case .granted(let length):
                #expect(abs(Double(length.wholeMicroseconds) - max(0, wait)) <= 1)
                owed = next
            case .refused(let length):
                #expect(abs(Double(length.wholeMicroseconds) - wait) <= 1)
                #expect(wait > Double(bucket.maximumWait.wholeMicroseconds) - 1)
            }
        }
    }

    @Test("are forgotten by the in-process store when they expire")
    func forgotten() async throws {
        let clock = ManualClock()
        let store = LocalStore(clock: clock)
        for round in 0..<4 {
            for index in 0..<1500 {
                let key = SharedKey(kind: "k", "\(round) \(index)")
                _ = try await store.write(key, Data(), ifVersion: nil, for: .seconds(1))
            }
            clock.advance(by: .seconds(2))
        }
        #expect(store.count <= 3000)
    }

    @Test("are reported in any number, and a slow reader is told that anything may have changed")
    func slow() async throws {
        let store = LocalStore(clock: ManualClock())
        let key = SharedKey(kind: "k", "n")
        var changes = store.changes(of: "k").makeAsyncIterator()
        for _ in 0..<5000 { _ = try await store.write(key, Data(), ifVersion: nil, for: .seconds(1)) }
        var seen: [SharedChange] = []
        while seen.count < 1024, let change = await changes.next() { seen.append(change) }
        #expect(seen.last == .all)
    }

    @Test("are no longer reported when the store is gone")
    func gone() async {
        var store: LocalStore? = LocalStore(clock: ManualClock())
        guard let changes = store?.changes(of: "k") else { return }
        store = nil
        var seen: [SharedChange] = []
        for await change in changes { seen.append(change) }
        #expect(seen == [.all])
    }
}

@Suite("A shared bucket's settings", .timeLimit(.minutes(10)), .paced)
struct SharedBucketTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var tokens = 1
        var period = Duration.seconds(1)
        var burst = 2
        var maximumWait = Duration.zero
        var taken = 1
        /// What a refusal names; `nil` for what is accepted.
        let word: String?

        var testDescription: String {
            "\(tokens) per \(period), \(burst), \(maximumWait), \(taken): \(word ?? "accepted")"
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
        Row(maximumWait: .zero - least, word: "wait"), Row(maximumWait: day, word: nil),
        Row(maximumWait: day + least, word: "wait"),
        Row(taken: 0, word: "at once"), Row(taken: 2, word: nil), Row(taken: 3, word: "at once"),
    ]

    @Test("are accepted up to their limits, and refused beyond them by name", arguments: rows)
    func limits(row: Row) async {
        let bucket = SharedBucket(
            SharedKey(kind: "k", "n"),
            tokens: row.tokens,
            per: row.period,
            burst: row.burst,
            maximumWait: row.maximumWait
        )
        var problem: SharedStoreError?
        do throws(SharedStoreError) {
            _ = try await LocalStore(clock: ManualClock()).takeTokens(row.taken, from: bucket)
        } catch {
            problem = error
        }
        #expect(problem?.code == (row.word == nil ? nil : .invalid))
        if let word = row.word { #expect(problem?.message.contains(word) == true) }
    }
}
