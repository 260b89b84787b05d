import CoreNetKit
import CoreNetKitCache
import CoreNetKitCacheConformance
import CoreNetKitLoopback
import Foundation

actor Shelf: CacheStorage {
    private var records: [CacheKey: CacheRecord] = [:]
    private var table = CacheGenerationTable()

    func record(for key: CacheKey) -> CacheRecord? {
        CacheRecord(variants: records[key]?.variants ?? [], generations: table.generations(of: key))
    }

    func apply(_ edit: CacheEdit) -> CacheEdit.Result {
        if case .invalidate(let invalidation) = edit { table.invalidate(invalidation) }
        guard let key = edit.key else { return .written }
        return records[key, default: CacheRecord()].apply(edit, at: table.generations(of: key)).result
    }

    func generations(at slots: [Int]) -> [UInt64]? { table.numbers(at: slots) }

    func removeAll(partition: String?) -> Bool {
        table.invalidate(partition: partition)
        records = records.filter { partition != nil && $0.key.partition != partition }
        return true
    }
}

/// It is tested against the rules that every storage must follow.
@main
struct OwnCacheStorage {
    static func main() async throws {
        print("broken rules: \(await CacheStorageConformance.check { Shelf() })")
        let server = try LoopbackServer { _ in .text("body").header("Cache-Control", "max-age=60") }
        let client = Client().cache(ResponseCache(storage: Shelf()))
        let chain: Chain<Void, String> = UrlChainsBuilder<URL>(client: client).route(.get, server.url("/")).build()
        for _ in 0..<2 { print(try await chain.call(), server.counts.requests) }
    }
}
