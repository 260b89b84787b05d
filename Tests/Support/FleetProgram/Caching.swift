import CoreNetKit
import CoreNetKitCache
import CoreNetKitFleet
import CoreNetKitSystem
import Foundation

/// Looks up, stores and marks responses as numbered lines say, several at a time; what it says begins with their
/// numbers.
///
/// - `look K`: the generation of a resource before the look-up, and the contents that are found and not marked.
/// - `begin K`, then `end K TEXT`: looks up, and stores a response under the generations that were found.
/// - `mark K`: says that the resource has changed.
/// - `heard K GENERATION`: waits until the generation is larger; it, and when it was another one first, in nanoseconds.
struct Caching: Sendable {
    private let behind: SharedCacheStorage
    private let tiers: TieredStorage
    private let begun = Locked<[String: CacheGenerations]>([:])

    init(_ store: ValkeyStore) {
        behind = SharedCacheStorage(in: store, named: "test", sealing: .plain)
        // Copies last for ever: only what is heard makes them old.
        tiers = TieredStorage(front: MemoryStorage(limit: 1 << 20), behind: behind, copiesFor: .seconds(86_400))
    }

    func run() async {
        FleetProgram.say("ready")
        for await line in lines {
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 2 else { exit(2) }
            Task { FleetProgram.say("\(words[0]) \(await done(words[1], words[2], words.dropFirst(3).first ?? ""))") }
        }
    }

    /// Read by a thread of its own: one of the tasks' threads that waits for a line would be missed.
    private var lines: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    private func done(_ step: String, _ name: String, _ text: String) async -> String {
        guard let url = URL(string: "http://cache.test/\(name)") else { exit(2) }
        let key = CacheKey(url: url)
        switch step {
        case "look":
            let generation = behind.generations(of: key)?.url ?? 0
            return "\(generation) \(await found(key).joined(separator: " "))"
        case "begin":
            guard let record = await tiers.record(for: key) else { return "no store" }
            begun.withLock { $0[name] = record.generations }
            return "begun"
        case "end":
            guard let generations = begun.withLock({ $0[name] }) else { exit(2) }
            return "\(await tiers.apply(.put(variant(text, generations), key, keepFor: .seconds(60))))"
        case "mark": return "\(await tiers.apply(.invalidate(CacheInvalidation([key]))))"
        case "heard": return await heard(key, after: UInt64(text) ?? 0)
        default: exit(2)
        }
    }

    private func found(_ key: CacheKey) async -> [String] {
        guard let record = await tiers.record(for: key) else { return [] }
        return record.variants.filter { !record.isInvalidated($0) }
            .compactMap { variant in
                guard case .inline(let data) = variant.content else { return nil }
                return String(decoding: data, as: UTF8.self)
            }
    }

    private func heard(_ key: CacheKey, after generation: UInt64) async -> String {
        var time: UInt64?
        while true {
            let current = behind.generations(of: key)?.url
            if current != nil, current != generation, time == nil { time = Self.now }
            // A change that was heard of is a number that no version is, until the new one has been read.
            if let current, let time, current > generation, current < 1 << 63 { return "\(current) \(time)" }
            // A report may meet the reading of a number, which is known again after the next look-up.
            if current == nil || time != nil { _ = await behind.record(for: key) }
            // Real time: the server says so when it does.
            try? await Task.sleep(for: .microseconds(100))
        }
    }

    /// The same for all processes of a machine.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func variant(_ text: String, _ generations: CacheGenerations) -> CacheVariant {
        let now = CacheTime(
            wallMilliseconds: Int64(Date().timeIntervalSince1970 * 1000),
            monotonicMilliseconds: Int64(Self.now / 1000),
            bootID: 0
        )
        return CacheVariant(
            status: 200,
            headers: ["Cache-Control": "max-age=60"],
            selectingFields: [],
            requestTime: now,
            responseTime: now,
            isDecoded: false,
            generations: generations,
            content: .inline(Data(text.utf8))
        )
    }
}
