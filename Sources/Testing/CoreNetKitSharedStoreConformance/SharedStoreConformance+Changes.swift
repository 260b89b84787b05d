import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSharedStore

extension SharedStoreConformance {
    static let changeRules = [
        Rule("changes.told", "A write and a removal are reported, once the stream has confirmed its subscription.") {
            trial in
            let seen = try await trial.withinTimeout {
                var seen: [SharedChange] = []
                for await change in trial.store.changes(of: "trial") {
                    seen.append(change)
                    // Other clients may write to the same store: only changes of this trial's key count.
                    if seen.count == 1 { try await trial.put("one") }
                    let own = seen.count { $0 == .key(trial.key) }
                    if own == 1, change == .key(trial.key) {
                        _ = try await trial.store.remove(trial.key, ifVersion: nil)
                    }
                    if own == 2 { break }
                }
                return seen
            }
            try trial.expect(seen.first, is: .all, "the first change")
            try trial.expect(seen.count { $0 == .key(trial.key) }, is: 2, "how many changes of the key were reported")
        },
        Rule("changes.kinds", "Only changes of the requested kind are reported.") { trial in
            let kind = "trial-\(UInt64.random(in: .min ... .max))"
            let seen = try await trial.withinTimeout {
                var seen: [SharedChange] = []
                for await change in trial.store.changes(of: kind) {
                    seen.append(change)
                    guard seen.count == 1 else { break }
                    try await trial.put("another kind")
                    let key = trial.key("one", kind: kind)
                    _ = try await trial.store.write(key, Data(), ifVersion: nil, for: .seconds(60))
                }
                return seen
            }
            try trial.expect(seen, is: [.all, .key(trial.key("one", kind: kind))], "the reported changes")
        },
    ]

    static let inputRules = [
        Rule("input.life", "A lifetime below a millisecond is refused.") { trial in
            for life in [Duration.zero, .seconds(-1), .microseconds(999)] {
                try await trial.expect(.invalid, "a life of \(life)") { try await trial.put("one", for: life) }
                try await trial.expect(.invalid, "a lease of \(life)") { _ = try await trial.lease(for: life) }
            }
            try await trial.put("one", for: .seconds(Int64.max))
        },
        Rule("input.size", "A value over the size limit is refused.") { trial in
            let large = Data(count: SharedValue.limit + 1)
            try await trial.expect(.invalid, "a value that is too large") {
                _ = try await trial.store.write(trial.key, large, ifVersion: nil, for: .seconds(1))
            }
        },
        Rule("input.bucket", "An invalid bucket is refused.") { trial in
            let buckets = [
                trial.bucket(0, per: .seconds(1), burst: 1), trial.bucket(1, per: .zero, burst: 1),
                trial.bucket(1, per: .seconds(1), burst: 0), trial.bucket(1_000_001, per: .seconds(1), burst: 1),
                trial.bucket(1, per: .seconds(86_401), burst: 1), trial.bucket(1, per: .seconds(1), burst: 100_001),
                trial.bucket(1, per: .seconds(1), burst: 1, ahead: .seconds(-1)),
            ]
            for bucket in buckets {
                try await trial.expect(.invalid, "\(bucket)") { _ = try await trial.store.takeTokens(1, from: bucket) }
            }
            for tokens in [0, -1, 2] {
                try await trial.expect(.invalid, "\(tokens) of a burst of 1") {
                    _ = try await trial.store.takeTokens(tokens, from: trial.bucket(1, per: .seconds(1), burst: 1))
                }
            }
        },
        Rule("input.cancelled", "A cancelled task gets no result.") { trial in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await trial.expect(.cancelled, "a write") { try await trial.put("one") }
            }
            try await task.value
            try trial.expect(try await trial.text(), is: nil, "what is read")
        },
    ]
}
