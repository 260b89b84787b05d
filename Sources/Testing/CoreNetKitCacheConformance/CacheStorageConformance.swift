public import CoreNetKitCache
import CoreNetKitEssentials
public import CoreNetKitHTTP

/// The rules for every storage of a cache, and a check of a storage against them; needs no test framework.
///
/// ```swift
/// let findings = await CacheStorageConformance.check { MyStorage() }
/// #expect(findings.isEmpty, "\(findings)")
/// ```
public enum CacheStorageConformance {
    /// One rule.
    public struct Rule: Sendable, ConformanceRule {
        /// A short name, the same in every version.
        public let name: String
        /// The requirement, in one sentence.
        public let statement: String
        package let check: @Sendable (Trial) async throws -> Void

        init(_ name: String, _ statement: String, check: @escaping @Sendable (Trial) async throws -> Void) {
            (self.name, self.statement, self.check) = (name, statement, check)
        }
    }

    /// A rule that a storage violates.
    public struct Finding: Sendable, CustomStringConvertible {
        /// The rule's name.
        public let rule: String
        /// The rule.
        public let statement: String
        /// What happened instead.
        public let instead: String

        /// The rule and what happened instead, on one line.
        public var description: String { "\(rule): \(statement) Instead: \(instead)" }
    }

    /// All rules, in the order in which they are checked.
    public static let rules: [Rule] = recordRules + markRules + contentRules

    /// Checks every rule except some that are known to be violated; returns the violated ones.
    ///
    /// Each gets an empty storage of its own with room for some hundred kilobytes.
    public static func check(
        except names: Set<String> = [],
        _ make: @Sendable () async throws -> any CacheStorage
    ) async -> [Finding] {
        await rules.violations(except: names) { Trial(storage: try await make()) }
            .map { Finding(rule: $0.rule.name, statement: $0.rule.statement, instead: $0.instead) }
    }

    package struct Trial: ConformanceTrial {
        let storage: any CacheStorage

        func key(_ number: Int = 0, partition: String = "") -> CacheKey {
            CacheKey(url: URL(string: "http://storage.test/\(number)") ?? URL(filePath: "/"), partition: partition)
        }

        func record(_ key: CacheKey) async throws -> CacheRecord {
            guard let record = await storage.record(for: key) else { throw Deviation(what: "nobody knows the record") }
            return record
        }

        /// A response whose exchange began at a number of milliseconds, and with these generations.
        func variant(
            _ text: String,
            at time: Int64 = 1,
            _ generations: CacheGenerations,
            selecting: String? = nil,
            headers: Headers = ["Cache-Control": "max-age=60"]
        ) -> CacheVariant {
            let time = CacheTime(wallMilliseconds: 1_800_000_000_000 + time, monotonicMilliseconds: time, bootID: 7)
            return CacheVariant(
                status: 200,
                headers: headers,
                selectingFields: [SelectingField(name: "accept", value: selecting)],
                requestTime: time,
                responseTime: time,
                isDecoded: false,
                generations: generations,
                content: .inline(Data(text.utf8))
            )
        }

        /// Stores a response whose exchange begins and ends now.
        @discardableResult
        func put(_ text: String, _ key: CacheKey, at time: Int64 = 1, selecting: String? = nil) async throws
            -> CacheVariant
        {
            let variant = variant(text, at: time, try await record(key).generations, selecting: selecting)
            let result = await apply(.put(variant, key, keepFor: .seconds(60)))
            try expect(result, is: .written, "what became of a response")
            return variant
        }

        func apply(_ edit: CacheEdit) async -> CacheEdit.Result { await storage.apply(edit) }

        /// A writer of a new response; `nil` if the storage takes none.
        func writer(length: Int64? = nil) async throws -> (any CacheWriter)? {
            let head = variant("", try await record(key()).generations)
            return await storage.writer(of: head, for: key(), length: length, keepFor: .seconds(60))
        }

        /// The content of the stored response.
        func content() async throws -> any CacheContent {
            await storage.flush()
            guard let variant = try await record(key()).variants.first,
                let content = await storage.content(of: variant, for: key())
            else { throw Deviation(what: "there is no content") }
            return content
        }

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
