import CoreNetKitSharedStore
import CoreNetKitSharedStoreConformance
import TestSupport

@Suite("The rules of shared stores", .timeLimit(.minutes(10)), .paced)
struct StoreRulesTests {
    private let clock = ManualClock()

    /// The rules that a store violates, made of one in the process.
    private func violations(_ make: @Sendable (LocalStore) -> any SharedStore) async -> [String] {
        await SharedStoreConformance.check(waiting: { [clock] in clock.advance(by: $0) }) {
            make(LocalStore(clock: clock))
        }
        .map(\.rule)
    }

    @Test("are followed by the in-process store")
    func local() async { #expect(await violations { $0 } == []) }

    @Test("are followed by a guarded store", arguments: [nil, Duration.seconds(60)])
    func guarded(timeout: Duration?) async {
        #expect(await violations { GuardedStore($0, timeout: timeout, clock: ManualClock()) } == [])
    }

    @Test("detect violations", arguments: BrokenStore.Fault.allCases)
    func broken(fault: BrokenStore.Fault) async {
        #expect(await violations { BrokenStore(store: $0, fault: fault) }.contains(fault.rawValue))
    }

    @Test("have different names, and a sentence each")
    func names() {
        let rules = SharedStoreConformance.rules
        #expect(Set(rules.map(\.name)).count == rules.count)
        #expect(rules.allSatisfy { $0.statement.hasSuffix(".") })
    }
}

/// A store with one fault.
struct BrokenStore: ForwardingStore {
    /// Each with the rule that it breaks.
    enum Fault: String, CaseIterable, Sendable {
        case alwaysWrites = "value.exchange"
        case oneVersion = "value.versions"
        case removesAnyway = "value.remove"
        case leasesTwice = "lease.one"
        case releasesAll = "lease.late"
        case sameNumbers = "lease.numbers"
        case neverRefuses = "bucket.burst"
        case tellsNothing = "changes.told"
        case tellsAll = "changes.kinds"
        case takesAll = "input.size"
    }

    let store: any SharedStore
    let fault: Fault

    func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        if fault == .takesAll, bytes.count > SharedValue.limit { return 1 }
        let over = fault == .alwaysWrites ? nil : version
        let written = try await store.write(key, bytes, ifVersion: over, for: timeToLive)
        return fault == .oneVersion && written != nil ? 1 : written
    }

    func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool {
        try await store.remove(key, ifVersion: fault == .removesAnyway ? nil : version)
    }

    func lease(_ key: SharedKey, for timeToLive: Duration) async throws(SharedStoreError) -> SharedLease? {
        let lease = try await store.lease(key, for: timeToLive)
        if fault == .leasesTwice, lease == nil { return SharedLease(key: key, owner: "twin", fencingToken: 2) }
        return fault == .sameNumbers ? lease.map { SharedLease(key: key, owner: $0.owner, fencingToken: 1) } : lease
    }

    func release(_ lease: SharedLease) async throws(SharedStoreError) {
        guard fault == .releasesAll else { return try await store.release(lease) }
        // The owner's text is all that a store goes by; this one tries the ones that come after.
        for number in 1..<9 {
            let owner = "local-\(number)"
            try await store.release(SharedLease(key: lease.key, owner: owner, fencingToken: lease.fencingToken))
        }
    }

    func takeTokens(_ tokens: Int, from bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        let grant = try await store.takeTokens(tokens, from: bucket)
        return fault == .neverRefuses ? .granted(after: .zero) : grant
    }

    func changes(of kind: String) -> AsyncStream<SharedChange> {
        switch fault {
        case .tellsNothing: return AsyncStream { $0.finish() }
        case .tellsAll: return store.changes(of: "trial")
        default: return store.changes(of: kind)
        }
    }
}
