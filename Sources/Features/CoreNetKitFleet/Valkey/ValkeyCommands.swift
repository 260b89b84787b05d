import CoreNetKitEssentials
import CoreNetKitSystem

/// Implements the operations of a store as commands and scripts of a server.
struct ValkeyCommands: SharedStore {
    let connection: ValkeyConnection

    func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? {
        try SharedStoreError.checkCancellation()
        let reply = try await connection.call(RESPCommand(["HMGET", .text(ValkeyStore.Part.value.of(key)), "b", "n"]))
        guard case .array(let items) = reply, items.count == 2 else { throw ValkeyCommands.unexpected }
        if items == [.null, .null] { return nil }
        guard case .bytes(let bytes) = items[0], let version = ValkeyCommands.number(items[1]) else {
            throw ValkeyCommands.unexpected
        }
        return SharedValue(bytes: bytes, version: version)
    }

    func write(
        _ key: SharedKey,
        _ bytes: Data,
        over version: UInt64?,
        for life: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        try SharedStoreError.checkCancellation()
        let life = try life.lifeInMilliseconds()
        try SharedValue.check(size: bytes.count)
        let keys = [ValkeyStore.Part.value.of(key), ValkeyStore.Part.removed.of(key)]
        let over = version.map { "\($0)" } ?? ""
        return try ValkeyCommands.optionalNumber(
            try await connection.run(.write, keys, [.bytes(bytes), .text(over), .text("\(life)")])
        )
    }

    func remove(_ key: SharedKey, over version: UInt64?) async throws(SharedStoreError) -> Bool {
        try SharedStoreError.checkCancellation()
        let keys = [ValkeyStore.Part.value.of(key), ValkeyStore.Part.removed.of(key)]
        let over = version.map { "\($0)" } ?? ""
        return try ValkeyCommands.isOne(try await connection.run(.remove, keys, [.text(over)]))
    }

    func lease(_ key: SharedKey, for life: Duration) async throws(SharedStoreError) -> SharedLease? {
        try SharedStoreError.checkCancellation()
        let life = try life.lifeInMilliseconds()
        let keys = [ValkeyStore.Part.lease.of(key), ValkeyStore.Part.number.of(key)]
        let owner = Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        do throws(SharedStoreError) {
            let reply = try await connection.run(.lease, keys, [.text(owner), .text("\(life)")])
            return try ValkeyCommands.optionalNumber(reply).map { SharedLease(key: key, owner: owner, number: $0) }
        } catch {
            // The server may have granted the lease, or may do so later, and only this process knows the owner.
            if error.mayBeDone {
                connection.repeating(for: .milliseconds(life)) {
                    await ValkeyCommands(connection: $0).hasReleased(key, owner)
                }
            }
            throw error
        }
    }

    func release(_ lease: SharedLease) async throws(SharedStoreError) {
        try SharedStoreError.checkCancellation()
        _ = try await released(lease.key, lease.owner)
    }

    private func hasReleased(_ key: SharedKey, _ owner: String) async -> Bool {
        (try? await released(key, owner)) == true
    }

    /// Releases a lease; returns whether it existed.
    private func released(_ key: SharedKey, _ owner: String) async throws(SharedStoreError) -> Bool {
        try ValkeyCommands.isOne(try await connection.run(.release, [ValkeyStore.Part.lease.of(key)], [.text(owner)]))
    }

    func take(_ tokens: Int, of bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try SharedStoreError.checkCancellation()
        try bucket.check(taking: tokens)
        let (rate, period) = (Int64(bucket.tokens), bucket.period.wholeMicroseconds)
        let numbers = [
            Int64(tokens) * period, rate, Int64(bucket.burst) * period / rate, bucket.longestWait.wholeMicroseconds,
        ]
        let reply = try await connection.run(
            .take,
            [ValkeyStore.Part.bucket.of(bucket.key)],
            numbers.map { .text("\($0)") }
        )
        guard case .array(let items) = reply, items.count == 2, let wait = items[1].number, wait >= 0 else {
            throw ValkeyCommands.unexpected
        }
        return try ValkeyCommands.isOne(items[0])
            ? .granted(after: .microseconds(wait)) : .refused(for: .microseconds(wait))
    }

    func changes(of kind: String) -> AsyncStream<SharedChange> {
        connection.feed.stream(of: kind) { connection.listen(SharedKey.prefix(of: kind)) }
    }

    private static let unexpected = SharedStoreError(.corrupt, "the store's reply does not match the command")

    private static func number(_ value: RESPValue) -> UInt64? { value.number.flatMap { UInt64(exactly: $0) } }

    private static func optionalNumber(_ value: RESPValue) throws(SharedStoreError) -> UInt64? {
        if value == .null { return nil }
        guard let number = number(value) else { throw unexpected }
        return number
    }

    private static func isOne(_ value: RESPValue) throws(SharedStoreError) -> Bool {
        switch value {
        case .integer(1): true
        case .integer(0): false
        default: throw unexpected
        }
    }
}
