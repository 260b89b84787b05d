public import CoreNetKitCache
public import CoreNetKitHTTP

import CoreNetKitEssentials

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

    /// Checks every rule.
    ///
    /// - Parameters:
    ///   - names: Rules that are known to be violated, and are skipped.
    ///   - make: Makes an empty storage with room for some hundred kilobytes; one for each rule.
    /// - Returns: The violated rules; empty if the storage conforms.
    public static func check(
        except names: Set<String> = [],
        _ make: @Sendable () async throws -> any CacheStorage
    ) async -> [Finding] {
        await rules.violations(except: names) { Trial(storage: try await make()) }
            .map { Finding(rule: $0.rule.name, statement: $0.rule.statement, instead: $0.instead) }
    }
}
