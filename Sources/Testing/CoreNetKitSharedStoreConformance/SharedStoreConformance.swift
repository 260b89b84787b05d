public import CoreNetKitHTTP
public import CoreNetKitSharedStore

/// Conformance rules that every shared store must pass; they need no test framework.
///
/// ```swift
/// let findings = await SharedStoreConformance.check { MyStore() }
/// #expect(findings.isEmpty, "\(findings)")
/// ```
public enum SharedStoreConformance {
    /// One rule.
    public struct Rule: Sendable, ConformanceRule {
        /// A short, stable name.
        public let name: String
        /// The required behaviour, in one sentence.
        public let statement: String
        package let check: @Sendable (Trial) async throws -> Void

        init(_ name: String, _ statement: String, check: @escaping @Sendable (Trial) async throws -> Void) {
            (self.name, self.statement, self.check) = (name, statement, check)
        }
    }

    /// A rule that a store violates.
    public struct Finding: Sendable, CustomStringConvertible {
        /// The rule's name.
        public let rule: String
        /// The required behaviour.
        public let statement: String
        /// What happened instead.
        public let instead: String

        /// The rule and what happened instead, on one line.
        public var description: String { "\(rule): \(statement) Instead: \(instead)" }
    }

    /// All rules, in the order in which they are checked.
    public static let rules: [Rule] = valueRules + leaseRules + bucketRules + changeRules + inputRules

    /// Checks every rule with fresh random keys, so that a server need not be emptied.
    ///
    /// - Parameters:
    ///   - names: Names of rules to skip, such as known violations.
    ///   - wait: Lets the store's time pass, some tenths of a second in all; with a manual clock, advances it.
    ///   - make: Creates a store, one for each rule.
    /// - Returns: The violated rules; empty if the store conforms.
    public static func check(
        except names: Set<String> = [],
        waiting wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        _ make: @Sendable () async throws -> any SharedStore
    ) async -> [Finding] {
        await rules.violations(except: names) { Trial(store: try await make(), wait: wait) }
            .map { Finding(rule: $0.rule.name, statement: $0.rule.statement, instead: $0.instead) }
    }
}
