import CoreNetKitCache
import CoreNetKitEssentials
import CoreNetKitHTTP

extension CacheStorageConformance {
    static let recordRules = [
        Rule("record.empty", "A resource that is not stored has an empty record, with the same generations each time.")
        {
            let (first, second) = (try await $0.record($0.key()), try await $0.record($0.key()))
            try $0.expect(first.variants.count, is: 0, "the number of variants")
            try $0.expect(first.generations, is: second.generations, "what is counted")
        },
        Rule("record.whole", "A stored response is read unchanged.") {
            let headers = Headers([("ETag", "\"ü\""), ("X-Empty", ""), ("Set", "1"), ("set", "2")])
            let stored = $0.variant("text", try await $0.record($0.key()).generations, selecting: "a", headers: headers)
            _ = await $0.apply(.put(stored, $0.key(), keepFor: .seconds(60)))
            let first = try await $0.record($0.key()).variants.first
            guard let found = first else { throw Deviation(what: "there is nothing") }
            try $0.expect(found.id, is: stored.id, "the id")
            try $0.expect(found.headers.map { "\($0)" }, is: headers.map { "\($0)" }, "the fields")
            try $0.expect(found.selectingFields, is: stored.selectingFields, "what selects it")
            try $0.expect(found.requestTime, is: stored.requestTime, "when it was requested")
            try $0.expect(found.generations, is: stored.generations, "what was counted")
            try $0.expect(try await $0.text(of: found, $0.key()), is: "text", "the content")
        },
        Rule("record.partitions", "The same URL in two partitions is two resources.") {
            try await $0.put("ann", $0.key(partition: "ann"))
            try await $0.put("ben", $0.key(partition: "ben"))
            try $0.expect(try await $0.texts($0.key(partition: "ann")), is: ["ann"], "what ann has")
            try $0.expect(try await $0.texts($0.key()), is: [], "what nobody has")
        },
        Rule("put.selecting", "A response replaces only the one with the same selecting fields.") {
            try await $0.put("one", $0.key(), at: 1, selecting: "a")
            try await $0.put("two", $0.key(), at: 2, selecting: "b")
            try await $0.put("three", $0.key(), at: 3, selecting: "a")
            try $0.expect(try await $0.texts($0.key()).sorted(), is: ["three", "two"], "what is stored")
        },
        Rule("put.twice", "An edit that arrives twice changes nothing the second time.") {
            let variant = try await $0.put("one", $0.key())
            _ = await $0.apply(.put(variant, $0.key(), keepFor: .seconds(60)))
            try $0.expect(try await $0.texts($0.key()), is: ["one"], "what is stored")
        },
        Rule("put.order", "Of two exchanges in one process run, the one that began later is kept.") {
            try await $0.put("late", $0.key(), at: 9)
            let early = $0.variant("early", at: 2, try await $0.record($0.key()).generations)
            _ = await $0.apply(.put(early, $0.key(), keepFor: .seconds(60)))
            try $0.expect(try await $0.texts($0.key()), is: ["late"], "what is stored")
        },
        Rule("put.atOnce", "Concurrent edits do not lose each other's changes.") { trial in
            let generations = try await trial.record(trial.key()).generations
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    let variant = trial.variant("\(number)", at: Int64(number), generations, selecting: "\(number)")
                    group.addTask { _ = await trial.apply(.put(variant, trial.key(), keepFor: .seconds(60))) }
                }
            }
            let texts = try await trial.texts(trial.key()).sorted()
            try trial.expect(texts, is: (0..<6).map { "\($0)" }, "what is stored")
        },
        Rule("renew.head", "A renewed head keeps its content; renewing a response that is gone has no effect.") {
            let variant = try await $0.put("text", $0.key())
            let generations = variant.generations
            let other = $0.variant("other", at: 5, generations, headers: ["ETag": "\"b\""])
            let renewed = variant.renewed(
                headers: other.headers,
                requestTime: other.requestTime,
                responseTime: other.responseTime
            )
            .withContent(other.content)
            _ = await $0.apply(.renew(renewed, $0.key(), keepFor: .seconds(60)))
            _ = await $0.apply(.renew(other, $0.key(), keepFor: .seconds(60)))
            try $0.expect(try await $0.texts($0.key()), is: ["text"], "the content")
            try $0.expect(try await $0.record($0.key()).variants.first?.headers["ETag"], is: "\"b\"", "the tag")
        },
        Rule("remove.one", "Only the removed response is gone.") {
            let variant = try await $0.put("one", $0.key(), selecting: "a")
            try await $0.put("two", $0.key(), selecting: "b")
            _ = await $0.apply(.remove(variant.id, $0.key()))
            _ = await $0.apply(.remove(variant.id, $0.key()))
            try $0.expect(try await $0.texts($0.key()), is: ["two"], "what is stored")
        },
        Rule("keys.list", "A storage that lists its resources lists exactly the stored ones.") {
            try await $0.put("one", $0.key(1))
            try await $0.put("two", $0.key(2, partition: "ann"))
            await $0.storage.flush()
            guard let all = await $0.storage.keys(partition: nil) else { return }
            try $0.expect(Set(all), is: [$0.key(1), $0.key(2, partition: "ann")], "the list")
            try $0.expect(await $0.storage.keys(partition: "ann"), is: [$0.key(2, partition: "ann")], "ann's list")
        },
    ]
}
