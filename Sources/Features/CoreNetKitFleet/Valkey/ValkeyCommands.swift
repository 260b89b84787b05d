import CoreNetKitEssentials
import CoreNetKitSystem

/// The operations of a store as commands and scripts of a server; the guard before it has checked for cancellation.
struct ValkeyCommands: SharedStore {
    let connection: ValkeyConnection

    func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? {
        let reply = try await connection.call(RESPCommand(["HMGET", .text(ValkeyStore.Part.value.of(key)), "b", "n"]))
        guard case .array(let items) = reply, items.count == 2 else { throw ValkeyCommands.unexpected }
        if items == [.null, .null] { return nil }
        guard case .bytes(let bytes) = items[0] else { throw ValkeyCommands.unexpected }
        let version = try ValkeyCommands.number(items[1])
        return SharedValue(bytes: bytes, version: version)
    }

    func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        let timeToLive = try timeToLive.lifeInMilliseconds()
        try SharedValue.check(size: bytes.count)
        let keys = [ValkeyStore.Part.value.of(key), ValkeyStore.Part.removed.of(key)]
        let over = version.map { "\($0)" } ?? ""
        return try ValkeyCommands.optionalNumber(
            try await connection.run(.write, keys, [.bytes(bytes), .text(over), .text("\(timeToLive)")])
        )
    }

    func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool {
        let keys = [ValkeyStore.Part.value.of(key), ValkeyStore.Part.removed.of(key)]
        let over = version.map { "\($0)" } ?? ""
        return try ValkeyCommands.isOne(try await connection.run(.remove, keys, [.text(over)]))
    }

    func lease(_ key: SharedKey, for timeToLive: Duration) async throws(SharedStoreError) -> SharedLease? {
        let timeToLive = try timeToLive.lifeInMilliseconds()
        let keys = [ValkeyStore.Part.lease.of(key), ValkeyStore.Part.number.of(key)]
        let owner = Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        do throws(SharedStoreError) {
            let reply = try await connection.run(.lease, keys, [.text(owner), .text("\(timeToLive)")])
            return try ValkeyCommands.optionalNumber(reply).map { .init(key: key, owner: owner, fencingToken: $0) }
        } catch {
            // The server may have granted the lease, or may do so later, and only this process knows the owner.
            if error.mayBeDone {
                connection.repeating(for: .milliseconds(timeToLive)) {
                    (try? await ValkeyCommands(connection: $0).released(key, owner)) == true
                }
            }
            throw error
        }
    }

    func release(_ lease: SharedLease) async throws(SharedStoreError) {
        _ = try await released(lease.key, lease.owner)
    }

    /// Releases a lease; returns whether it existed.
    private func released(_ key: SharedKey, _ owner: String) async throws(SharedStoreError) -> Bool {
        try ValkeyCommands.isOne(try await connection.run(.release, [ValkeyStore.Part.lease.of(key)], [.text(owner)]))
    }

    func takeTokens(_ tokens: Int, from bucket: SharedBucket) async throws(SharedStoreError) -> SharedGrant {
        try bucket.check(taking: tokens)
        let (rate, period) = (Int64(bucket.tokens), bucket.period.wholeMicroseconds)
        let room = Int64(bucket.burst) * period / rate
        let numbers = [Int64(tokens) * period, rate, room, bucket.maximumWait.wholeMicroseconds]
        let keys = [ValkeyStore.Part.bucket.of(bucket.key)]
        let reply = try await connection.run(.take, keys, numbers.map { .text("\($0)") })
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

    private static func number(_ value: RESPValue) throws(SharedStoreError) -> UInt64 {
        guard let number = value.number.flatMap({ UInt64(exactly: $0) }) else { throw unexpected }
        return number
    }

    private static func optionalNumber(_ value: RESPValue) throws(SharedStoreError) -> UInt64? {
        value == .null ? nil : try number(value)
    }

    private static func isOne(_ value: RESPValue) throws(SharedStoreError) -> Bool {
        switch value {
        case .integer(1): true
        case .integer(0): false
        default: throw unexpected
        }
    }
}

/// A script that the server caches by its digest.
struct ValkeyScript: Sendable {
    let text: String
    /// SHA-1 in hexadecimal digits, by which servers name scripts.
    let digest: String

    init(_ text: String) {
        self.text = text
        digest = Hex.encode(SHA1.digest(text.utf8))
    }

    /// Runs the script by its digest, or in full for a server that has not cached it.
    func command(_ keys: [String], _ arguments: [RESPCommand.Part], inFull: Bool = false) -> RESPCommand {
        let head: [RESPCommand.Part] = inFull ? ["EVAL", .text(text)] : ["EVALSHA", .text(digest)]
        return RESPCommand(head + [.text("\(keys.count)")] + keys.map { .text($0) } + arguments)
    }
}

// Numbers are microseconds of the server's clock, or the last number plus one. So they grow without a counter that is kept
// forever, even on another server that knows nothing of the first. Whole numbers below 2^53 are exact in Lua; `%.0f` writes
// them in full.
extension ValkeyScript {
    // KEYS: value, number of a removed value. ARGV: bytes, version or empty, time to live. Returns the version, or nothing.
    static let write = ValkeyScript(
        """
        local last=redis.call('HGET',KEYS[1],'n')
        if ARGV[2]~='' and ARGV[2]~=(last or '0') then return false end
        last=tonumber(last or redis.call('GET',KEYS[2]) or 0)
        local t=redis.call('TIME')
        local n=t[1]*1000000+t[2]
        if n<=last then n=last+1 end
        local text=string.format('%.0f',n)
        redis.call('HSET',KEYS[1],'b',ARGV[1],'n',text)
        redis.call('PEXPIRE',KEYS[1],ARGV[3])
        return text
        """
    )

    // KEYS: value, number of a removed value. ARGV: version or empty. Returns 1 or 0.
    // The number is kept for a minute, because some servers update their time only once a millisecond.
    static let remove = ValkeyScript(
        """
        local last=redis.call('HGET',KEYS[1],'n')
        if not last or (ARGV[1]~='' and ARGV[1]~=last) then return 0 end
        redis.call('SET',KEYS[2],last,'PX',60000)
        return redis.call('DEL',KEYS[1])
        """
    )

    // KEYS: lease, last number. ARGV: owner, time to live. Returns the number, or nothing.
    static let lease = ValkeyScript(
        """
        if redis.call('EXISTS',KEYS[1])==1 then return false end
        local last=tonumber(redis.call('GET',KEYS[2]) or 0)
        local t=redis.call('TIME')
        local n=t[1]*1000000+t[2]
        if n<=last then n=last+1 end
        local text=string.format('%.0f',n)
        redis.call('SET',KEYS[2],text,'PX',ARGV[2]+86400000)
        redis.call('SET',KEYS[1],ARGV[1],'PX',ARGV[2])
        return text
        """
    )

    // KEYS: lease. ARGV: owner. Returns 1 or 0.
    static let release = ValkeyScript(
        """
        if redis.call('GET',KEYS[1])~=ARGV[1] then return 0 end
        return redis.call('DEL',KEYS[1])
        """
    )

    // KEYS: bucket. ARGV: tokens times period, tokens of a period, room, longest wait. Returns 1 or 0, and the wait.
    // The same computation as `BucketLevel`.
    static let take = ValkeyScript(
        """
        local t=redis.call('TIME')
        local now=t[1]*1000000+t[2]
        local level=redis.call('HMGET',KEYS[1],'f','r')
        local full=tonumber(level[1] or 0)
        local owed=tonumber(ARGV[1])
        local rate=tonumber(ARGV[2])
        if full<now then full=now else owed=owed+math.fmod(tonumber(level[2] or 0),rate) end
        local rest=math.fmod(owed,rate)
        local after=full+(owed-rest)/rate
        local wait=after-tonumber(ARGV[3])-now
        if wait>tonumber(ARGV[4]) then return {0,wait} end
        redis.call('HSET',KEYS[1],'f',string.format('%.0f',after),'r',string.format('%.0f',rest))
        redis.call('PEXPIRE',KEYS[1],string.format('%.0f',math.ceil((after-now)/1000)+1))
        if wait<0 then wait=0 end
        return {1,wait}
        """
    )
}
