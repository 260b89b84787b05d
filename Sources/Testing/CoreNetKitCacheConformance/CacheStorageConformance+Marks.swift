import CoreNetKitCache
import CoreNetKitEssentials
import CoreNetKitHTTP

extension CacheStorageConformance {
    static let markRules = [
        Rule("lease.ended", "A lease that has ended is granted again, one of another resource at any time.") {
            try $0.expect(await $0.storage.lease($0.key(1), for: .seconds(600)), "the first one is refused")
            try $0.expect(await $0.storage.lease($0.key(2), for: .seconds(600)), "that of another resource is refused")
            await $0.storage.endLease($0.key(1))
            try $0.expect(await $0.storage.lease($0.key(1), for: .seconds(600)), "the one after its end is refused")
        },
        Rule("mark.url", "An invalidation changes the URL's generation, in every partition, and keeps what is stored.")
        {
            try await $0.put("one", $0.key())
            try await $0.put("ann", $0.key(partition: "ann"))
            let before = (try await $0.record($0.key()), try await $0.record($0.key(partition: "ann")))
            let result = await $0.apply(.invalidate(CacheInvalidation([$0.key()])))
            try $0.expect(result, is: .written, "what became of the invalidation")
            let after = (try await $0.record($0.key()), try await $0.record($0.key(partition: "ann")))
            try $0.expect(before.0.generations.url != after.0.generations.url, "the generation is the same")
            try $0.expect(before.1.generations.url != after.1.generations.url, "ann's generation is the same")
            try $0.expect(
                before.0.generations.partition,
                is: after.0.generations.partition,
                "the partition's generation"
            )
            try $0.expect(after.0.variants.first?.generations, is: before.0.generations, "what the response remembers")
        },
        Rule("mark.others", "An invalidation leaves nearly all other URLs unchanged.") { trial in
            let key = trial.key(1)
            let before = try await trial.record(key).generations.url
            for other in (2..<40).map({ trial.key($0) }) where other.slot != key.slot {
                _ = await trial.apply(.invalidate(CacheInvalidation([other])))
            }
            try trial.expect(try await trial.record(key).generations.url, is: before, "the generation")
        },
        Rule("mark.twice", "Every invalidation changes the generation.") {
            var seen: Set<UInt64> = []
            for _ in 0..<4 {
                seen.insert(try await $0.record($0.key()).generations.url)
                _ = await $0.apply(.invalidate(CacheInvalidation([$0.key()])))
            }
            try $0.expect(seen.count, is: 4, "how many numbers there were")
        },
        Rule("mark.group", "An invalidation of a group changes its generation and that of all groups.") {
            let slots = [$0.key().slot(ofGroup: "cart"), $0.key().slot(ofGroup: "news")]
            let (before, all) = (
                await $0.storage.generations(at: slots), try await $0.record($0.key()).generations.anyGroup
            )
            _ = await $0.apply(.invalidate(CacheInvalidation(groups: [slots[0]])))
            guard let before, let after = await $0.storage.generations(at: slots), after.count == 2 else {
                throw Deviation(what: "nobody knows the generations")
            }
            try $0.expect(before[0] != after[0], "the group's generation is the same")
            try $0.expect(before[1], is: after[1], "the other group's generation")
            try $0.expect(try await $0.record($0.key()).generations.anyGroup != all, "that of all groups is the same")
        },
        Rule("partition.removed", "An emptied partition has no records; the other partitions are unchanged.") {
            try await $0.put("ann", $0.key(partition: "ann"))
            try await $0.put("ben", $0.key(partition: "ben"))
            let generations = try await $0.record($0.key(partition: "ann")).generations
            try $0.expect(await $0.storage.removeAll(partition: "ann"), "it says that it could not")
            try $0.expect(try await $0.texts($0.key(partition: "ann")), is: [], "what ann has")
            try $0.expect(try await $0.texts($0.key(partition: "ben")), is: ["ben"], "what ben has")
            let after = try await $0.record($0.key(partition: "ann")).generations
            try $0.expect(after.partition != generations.partition, "the partition's generation is the same")
        },
        Rule("partition.late", "An exchange that began before its partition was emptied is not stored afterwards.") {
            let ann = $0.key(partition: "ann")
            let late = $0.variant("late", try await $0.record(ann).generations)
            let writer = await $0.storage.writer(of: late, for: ann, length: nil, keepFor: .seconds(60))
            await $0.storage.removeAll(partition: "ann")
            let result = await $0.apply(.put(late, ann, keepFor: .seconds(60)))
            try $0.expect(result, is: .refused, "what became of it")
            if let writer, await writer.write(Data("late".utf8)) { _ = await writer.commit() }
            try $0.expect(try await $0.texts(ann), is: [], "what is stored")
            try await $0.put("new", ann)
            try $0.expect(try await $0.texts(ann), is: ["new"], "what is stored of the next login")
        },
        Rule("partition.all", "Without a name, every partition is emptied.") {
            for partition in ["", "ann"] { try await $0.put("one", $0.key(partition: partition)) }
            await $0.storage.removeAll(partition: nil)
            for partition in ["", "ann"] {
                try $0.expect(try await $0.texts($0.key(partition: partition)), is: [], "what is stored")
            }
        },
    ]

    /// Content that is written and read in pieces.
    static let contentRules = [
        Rule("content.writer", "Content that is written in chunks is stored when it is committed, and not before.") {
            guard let writer = try await $0.writer() else { return }
            let text = String(repeating: "0123456789", count: 3_000)
            for _ in 0..<2 {
                try $0.expect(await writer.write(Data(text.utf8)), "60 kB were too much")
                try $0.expect(try await $0.texts($0.key()), is: [], "what is stored before the end")
            }
            try $0.expect(await writer.commit(), is: .written, "what became of it")
            try $0.expect(try await $0.texts($0.key()), is: [text + text], "what is stored")
        },
        Rule("content.parts", "Any range of content can be read.") {
            guard let writer = try await $0.writer(length: 50_000) else { return }
            let data = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 8) })
            _ = await writer.write(data)
            _ = await writer.commit()
            let content = try await $0.content()
            for range in [Int64(0)..<1, 49_999..<50_000, 10..<10, 30_000..<45_000] {
                let part = await content.read(range)
                try $0.expect(part == data[range.lowerBound..<range.upperBound], "\(range) has other bytes")
            }
        },
        Rule("content.discard", "Discarded content leaves nothing behind.") {
            guard let writer = try await $0.writer() else { return }
            _ = await writer.write(Data("part".utf8))
            await writer.discard()
            try $0.expect(await writer.commit() != .written, "it was stored after it was given up")
            try $0.expect(try await $0.texts($0.key()), is: [], "what is stored")
        },
        Rule("content.open", "Open content stays readable after its entry is replaced or removed.") {
            try await $0.put("old", $0.key())
            let content = try await $0.content()
            try await $0.put("new", $0.key(), at: 5)
            await $0.storage.removeAll(partition: nil)
            try $0.expect(await content.read(0..<3), is: Data("old".utf8), "the content")
        },
    ]
}
