import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSharedStore

extension SharedStoreConformance {
    static let leaseRules = [
        Rule("lease.one", "A held lease is not granted to another owner.") {
            let lease = try await $0.lease()
            try $0.expect(lease.key, is: $0.key, "the key of the lease")
            try $0.expect(lease.fencingToken > 0, "the number of the lease is 0")
            try $0.expect(try await $0.store.lease($0.key, for: .seconds(60)), is: nil, "the second lease")
            _ = try await $0.store.lease($0.key("two"), for: .seconds(60))
        },
        Rule("lease.value", "Leases and values of the same key are independent.") {
            _ = try await $0.lease()
            try $0.expect(try await $0.text(), is: nil, "what is read")
            try await $0.put("one", ifVersion: 0)
            _ = try await $0.store.remove($0.key, ifVersion: nil)
            try $0.expect(try await $0.store.lease($0.key, for: .seconds(60)), is: nil, "the second lease")
        },
        Rule("lease.released", "A released lease can be acquired at once.") {
            try await $0.store.release(try await $0.lease())
            _ = try await $0.lease()
        },
        Rule("lease.over", "An expired lease can be acquired.") {
            _ = try await $0.lease(for: .milliseconds(30))
            try await $0.wait(.milliseconds(60))
            _ = try await $0.lease()
        },
        Rule("lease.late", "Releasing an expired lease does not affect the next one.") {
            let first = try await $0.lease(for: .milliseconds(30))
            try await $0.wait(.milliseconds(60))
            let second = try await $0.lease()
            try $0.expect(first.owner != second.owner, "two leases have one owner")
            try await $0.store.release(first)
            try $0.expect(try await $0.store.lease($0.key, for: .seconds(60)), is: nil, "the third lease")
        },
        Rule("lease.numbers", "The numbers of a key's leases increase, however the leases end.") {
            var numbers: [UInt64] = []
            for index in 0..<6 {
                let isReleased = index.isMultiple(of: 2)
                let lease = try await $0.lease(for: isReleased ? .seconds(60) : .milliseconds(10))
                numbers.append(lease.fencingToken)
                if isReleased { try await $0.store.release(lease) } else { try await $0.wait(.milliseconds(30)) }
            }
            try $0.expect(numbers, is: Set(numbers).sorted(), "the numbers")
        },
        Rule("lease.race", "Of many concurrent requests for a lease, exactly one succeeds.") { trial in
            let leases = try await trial.concurrently(16) { _ in
                try await trial.store.lease(trial.key, for: .seconds(60))
            }
            try trial.expect(leases.count { $0 != nil }, is: 1, "how many got it")
        },
    ]
}

extension SharedStoreConformance {
    static let bucketRules = [
        Rule("bucket.burst", "A full bucket grants its burst, and no more.") {
            let bucket = $0.bucket(1, per: .seconds(60), burst: 5)
            for tokens in [3, 2] { try await $0.take(tokens, from: bucket) }
            guard case .refused(let wait) = try await $0.store.takeTokens(1, from: bucket) else {
                throw Deviation(what: "a sixth token was there")
            }
            try $0.expect(wait > .seconds(50) && wait <= .seconds(60), "the next token was said to come after \(wait)")
        },
        Rule("bucket.refused", "A refused request takes no tokens.") {
            let bucket = $0.bucket(1, per: .seconds(60), burst: 5)
            _ = try await $0.store.takeTokens(2, from: bucket)
            for _ in 0..<3 {
                guard case .refused = try await $0.store.takeTokens(4, from: bucket) else {
                    throw Deviation(what: "four of three tokens were there")
                }
            }
            try await $0.take(3, from: bucket)
        },
        Rule("bucket.rate", "Tokens are replenished at the bucket's rate.") {
            let bucket = $0.bucket(1, per: .milliseconds(40), burst: 2)
            var grant = SharedGrant.granted(after: .zero)
            // A loop, because on a busy machine a token is added meanwhile.
            for _ in 0..<1000 where grant == .granted(after: .zero) {
                grant = try await $0.store.takeTokens(1, from: bucket)
            }
            guard case .refused(let wait) = grant else { throw Deviation(what: "a thousand tokens were there") }
            try $0.expect(wait > .zero && wait <= .milliseconds(40), "the next token was said to come after \(wait)")
            try await $0.wait(wait + .milliseconds(1))
            try await $0.take(1, from: bucket)
        },
        Rule("bucket.ahead", "Tokens are granted in advance up to the maximum wait, and no further.") {
            let bucket = $0.bucket(1, per: .seconds(10), burst: 1, ahead: .seconds(15))
            var waits: [Duration] = []
            while case .granted(let wait) = try await $0.store.takeTokens(1, from: bucket), waits.count < 9 {
                waits.append(wait)
            }
            try $0.expect(waits.count, is: 2, "how many were given")
            try $0.expect(waits[0], is: .zero, "the wait for the first")
            try $0.expect(waits[1] > .seconds(5) && waits[1] <= .seconds(10), "the second waits for \(waits[1])")
        },
        Rule("bucket.race", "Concurrent requests together get exactly the available tokens.") { trial in
            let bucket = trial.bucket(1, per: .seconds(60), burst: 8)
            let grants = try await trial.concurrently(32) { _ in try await trial.store.takeTokens(1, from: bucket) }
            try trial.expect(grants.count { $0 == .granted(after: .zero) }, is: 8, "how many were given")
        },
        Rule("bucket.others", "Buckets with different keys are independent.") {
            _ = try await $0.store.takeTokens(1, from: $0.bucket(1, per: .seconds(60), burst: 1))
            let other = SharedBucket($0.key("two"), tokens: 1, per: .seconds(60), burst: 1)
            try await $0.take(1, from: other)
        },
    ]
}
