import CoreNetKitCache
import CoreNetKitHTTP

import CoreNetKitEssentials

extension CacheStorageConformance {
    /// A storage under test.
    package struct Trial: ConformanceTrial {
        let storage: any CacheStorage

        func key(_ number: Int = 0, partition: String = "") -> CacheKey {
            CacheKey(url: URL(string: "http://storage.test/\(number)") ?? URL(filePath: "/"), partition: partition)
        }

        /// The result of a look-up; an unknown record is a deviation.
        func record(_ key: CacheKey) async throws -> CacheRecord {
            guard let record = await storage.record(for: key) else { throw Deviation(what: "nobody knows the record") }
            return record
        }

        /// A response whose exchange began at a number of milliseconds, and with these counters.
        func variant(
            _ text: String,
            at time: Int64 = 1,
            _ counters: CacheCounters,
            selecting: String? = nil,
            headers: Headers = ["Cache-Control": "max-age=60"]
        ) -> CacheVariant {
            let time = CacheTime(wall: 1_800_000_000_000 + time, steady: time, run: 7)
            return CacheVariant(
                status: 200,
                headers: headers,
                selecting: [SelectingField(name: "accept", value: selecting)],
                requested: time,
                received: time,
                isDecoded: false,
                counters: counters,
                content: .inline(Data(text.utf8))
            )
        }

        /// Stores a response whose exchange begins and ends now.
        @discardableResult
        func put(_ text: String, _ key: CacheKey, at time: Int64 = 1, selecting: String? = nil) async throws
            -> CacheVariant
        {
            let variant = variant(text, at: time, try await record(key).counters, selecting: selecting)
            let result = await apply(.put(variant, key, keepFor: .seconds(60)))
            try expect(result, is: .written, "what became of a response")
            return variant
        }

        func apply(_ edit: CacheEdit) async -> CacheEdit.Result { await storage.apply(edit) }

        /// The stored contents, in the order of the record.
        func texts(_ key: CacheKey) async throws -> [String] {
            await storage.flush()
            var texts: [String] = []
            for variant in try await record(key).variants { texts.append(try await text(of: variant, key)) }
            return texts
        }

        func text(of variant: CacheVariant, _ key: CacheKey) async throws -> String {
            guard let content = await storage.content(of: variant, for: key),
                let data = await content.read(0..<content.length)
            else { throw Deviation(what: "the content cannot be read") }
            return String(decoding: data, as: UTF8.self)
        }
    }
}
