import CoreNetKitHTTP
import CoreNetKitEssentials
import CoreNetKitSharedStore

extension SharedStoreConformance {
    /// The rules for leases.
    static let leaseRules = [
        Rule("lease.one", "While one has the lease, nobody else gets it.") {
            let lease = try await $0.lease()
            try $0.expect(lease.key, is: $0.key, "the key of the lease")
            try $0.expect(lease.number > 0, "the number of the lease is 0")
            try $0.expect(try await $0.store.lease($0.key, for: .seconds(60)), is: nil, "the second lease")
            _ = try await $0.store.lease($0.key("two"), for: .seconds(60))
        },
        Rule("lease.value", "Leases and values of a key do not know each other.") {
            _ = try await $0.lease()
            try $0.expect(try await $0.text(), is: nil, "what is read")
            try await $0.put("one", over: 0)
            _ = try await $0.store.remove($0.key, over: nil)
            try $0.expect(try await $0.store.lease($0.key, for: .seconds(60)), is: nil, "the second lease")
        },
        Rule("lease.released", "A lease that was given back can be taken at once.") {
            try await $0.store.release(try await $0.lease())
            _ = try await $0.lease()
        },
        Rule("lease.over", "A lease whose life is over can be taken.") {
            _ = try await $0.lease(for: .milliseconds(30))
            try await $0.wait(.milliseconds(60))
            _ = try await $0.lease()
        },
        Rule("lease.late", "Who gives back a lease that is over takes nothing from the next one.") {
            let first = try await $0.lease(for: .milliseconds(30))
            try await $0.wait(.milliseconds(60))
            let second = try await $0.lease()
            try $0.expect(first.owner != second.owner, "two leases have one owner")
            try await $0.store.release(first)
            try $0.expect(try await $0.store.lease($0.key, for: .seconds(60)), is: nil, "the third lease")
        },
        Rule("lease.numbers", "The numbers of a key's leases grow, however they end.") {
            var numbers: [UInt64] = []
            for index in 0..<6 {
                let lease = try await $0.lease(for: index.isMultiple(of: 2) ? .seconds(60) : .milliseconds(10))
                numbers.append(lease.number)
                if index.isMultiple(of: 2) {
                    try await $0.store.release(lease)
                } else {
                    try await $0.wait(.milliseconds(30))
                }
            }
            try $0.expect(numbers, is: Set(numbers).sorted(), "the numbers")
        },
        Rule("lease.race", "Of many who want the lease one gets it.") { trial in
            let leases = try await trial.together(16) { _ in try await trial.store.lease(trial.key, for: .seconds(60)) }
            try trial.expect(leases.count { $0 != nil }, is: 1, "how many got it")
        },
    ]
}
