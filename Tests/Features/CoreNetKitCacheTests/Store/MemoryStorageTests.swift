import CoreNetKitCache
import TestSupport

/// A variant whose content names its number.
func variant(_ number: Int, bytes: Int = 100, headers: Headers = [:], selecting: [SelectingField] = []) -> CacheVariant
{
    let time = CacheTime(
        wallMilliseconds: 1_800_000_000_000 + Int64(number),
        monotonicMilliseconds: Int64(number),
        bootID: 1
    )
    var content = Data("\(number) ".utf8)
    content.append(Data(repeating: UInt8(number & 0x7F), count: max(0, bytes - content.count)))
    return stored(at: time, content, headers, selecting: selecting)
}

/// A response whose exchange took no time.
func stored(
    at time: CacheTime,
    _ content: Data = Data(),
    _ headers: Headers = [:],
    status: Int = 200,
    selecting: [SelectingField] = []
) -> CacheVariant {
    CacheVariant(
        status: status,
        headers: headers,
        selectingFields: selecting,
        requestTime: time,
        responseTime: time,
        isDecoded: false,
        content: .inline(content)
    )
}

func key(_ number: Int, partition: String = "") -> CacheKey {
    CacheKey(url: URL(string: "http://shop.test/\(number)") ?? page, partition: partition)
}

extension CacheStorage {
    /// Stores a response whose exchange begins and ends now.
    @discardableResult
    func put(_ variant: CacheVariant, _ key: CacheKey) async -> CacheEdit.Result {
        guard let record = await record(for: key) else { return .failed }
        var variant = variant
        variant.generations = record.generations
        return await apply(.put(variant, key, keepFor: .seconds(60)))
    }

    /// A writer of an exchange that begins now.
    func writer(_ key: CacheKey, length: Int64? = nil, _ variant: CacheVariant = variant(1)) async -> (any CacheWriter)?
    {
        guard let record = await record(for: key) else { return nil }
        var variant = variant
        variant.generations = record.generations
        return await writer(of: variant, for: key, length: length, keepFor: .seconds(60))
    }

    /// Whether something is stored.
    func has(_ key: CacheKey) async -> Bool { await record(for: key)?.variants.isEmpty == false }

    /// Writes content in pieces, as a stream does.
    func write(_ data: Data, _ key: CacheKey, chunk: Int = 10_000) async -> Bool {
        guard let writer = await writer(key) else { return false }
        var rest = data[...]
        while !rest.isEmpty {
            guard await writer.write(Data(rest.prefix(chunk))) else { return false }
            rest = rest.dropFirst(chunk)
        }
        return await writer.commit() == .written
    }

    /// Stores a response, and waits until it is written.
    func store(_ variant: CacheVariant, _ key: CacheKey) async {
        await put(variant, key)
        await flush()
    }

    /// Writes content in pieces, and waits until all of it is written.
    func store(_ data: Data, _ key: CacheKey) async {
        _ = await write(data, key)
        await flush()
    }

    /// Removes everything stored for a resource.
    func clear(_ key: CacheKey) async {
        for variant in await record(for: key)?.variants ?? [] { _ = await apply(.remove(variant.id, key)) }
    }

    func bytes(_ key: CacheKey) async -> Data? {
        guard let stored = await record(for: key)?.variants.last, let content = await content(of: stored, for: key)
        else { return nil }
        return await content.read(0..<content.length)
    }
}

extension CacheRecord {
    init(variants: [CacheVariant]) { self.init(variants: variants, generations: CacheGenerations()) }

    @discardableResult
    mutating func put(_ variant: CacheVariant) -> CacheEdit.Result {
        apply(.put(variant, key(0), keepFor: .zero), at: generations).result
    }
}

@Suite("The memory storage", .paced)
struct MemoryStorageTests {
    @Test("keeps the most recently used entries, within its byte limit")
    func leastRecentlyUsed() async {
        let storage = MemoryStorage(limit: 10_000)
        for number in 0..<8 { await storage.put(variant(number, bytes: 700), key(number)) }
        _ = await storage.record(for: key(0))
        for number in 8..<12 { await storage.put(variant(number, bytes: 700), key(number)) }
        #expect(await storage.has(key(0)))
        #expect(await !storage.has(key(1)))
        #expect(storage.counts.bytes <= 10_000)
        #expect(storage.counts.evictions == 12 - storage.counts.entries)
    }

    @Test("does not keep an entry larger than an eighth of the limit, and evicts nothing for it")
    func tooLarge() async {
        let storage = MemoryStorage(limit: 10_000)
        await storage.put(variant(1), key(1))
        #expect(await storage.writer(key(2), length: 2_000) == nil)
        #expect(await !storage.write(Data(count: 2_000), key(2), chunk: 500))
        #expect(await storage.has(key(1)))
    }

    @Test("keeps nothing with a limit of zero or less", arguments: [Int64(0), -1, .min])
    func limitOfZero(limit: Int64) async {
        let storage = MemoryStorage(limit: limit)
        await storage.put(variant(1), key(1))
        #expect(await !storage.has(key(1)))
        #expect(await storage.writer(key(1), length: 1) == nil)
    }

    @Test("counts its bytes correctly through random changes")
    func accounting() async {
        var random = SplitMix64(seed: 7)
        let storage = MemoryStorage(limit: 1 << 20)
        for _ in 0..<1_000 {
            let key = key(Int(random.next() % 200))
            switch random.next() % 4 {
            case 0: _ = await storage.record(for: key)
            case 1: await storage.clear(key)
            default: await storage.put(variant(1, bytes: Int(random.next() % 20_000)), key)
            }
            #expect(storage.counts.bytes <= 1 << 20)
        }
        for number in 0..<200 { await storage.clear(key(number)) }
        #expect(storage.counts.bytes == 0 && storage.counts.entries == 0)
    }

    @Test("a record keeps eight variants and drops the oldest")
    func variants() {
        var record = CacheRecord()
        for number in 0..<10 { record.put(variant(number, selecting: [SelectingField(name: "a", value: "\(number)")])) }
        #expect(record.variants.count == 8 && record.variants.first?.selectingFields.first?.value == "2")
    }

    @Test(
        "keys compare URLs as the wire does",
        arguments: [
            ("HTTP://Shop.TEST:80?a=B#c", "http://shop.test/?a=B"), ("https://a.test:443/x", "https://a.test/x"),
            ("https://a.test:80/x", "https://a.test:80/x"), ("http://u@A.test/x", "http://u@a.test/x"),
            ("http://a.test/X?b&a", "http://a.test/X?b&a"), ("http://a.test/a?b=1#c", "http://a.test/a?b=1"),
            ("https://a.test", "https://a.test/"), ("http://a.test:8080/a", "http://a.test:8080/a"),
            ("http://a.test/a?", "http://a.test/a?"), ("HTTP://Shop.TEST:80/a#part", "http://shop.test/a"),
        ]
    )
    func keys(text: String, compared: String) throws {
        let keys = try [text, compared].map { CacheKey(url: try #require(URL(string: $0))) }
        #expect(keys[0].url == compared)
        #expect(keys[0] == keys[1])
        #expect(keys[0].hashValue == keys[1].hashValue)
    }
}
