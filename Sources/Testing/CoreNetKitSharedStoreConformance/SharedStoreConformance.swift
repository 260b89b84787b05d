import CoreNetKitEssentials
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

    package struct Trial: ConformanceTrial {
        let store: any SharedStore
        let wait: @Sendable (Duration) async throws -> Void
        private let number = UInt64.random(in: .min ... .max)

        var key: SharedKey { key("one") }

        func key(_ name: String, kind: String = "trial") -> SharedKey { SharedKey(kind: kind, "\(number) \(name)") }

        func bucket(_ tokens: Int, per period: Duration, burst: Int, ahead: Duration = .zero) -> SharedBucket {
            SharedBucket(key, tokens: tokens, per: period, burst: burst, maximumWait: ahead)
        }

        /// Writes a text that outlasts the trial by default; throws a deviation if it is not written.
        @discardableResult
        func put(_ text: String, ifVersion version: UInt64? = nil, for timeToLive: Duration = .seconds(60)) async throws
            -> UInt64
        {
            guard let version = try await store.write(key, Data(text.utf8), ifVersion: version, for: timeToLive) else {
                throw Deviation(what: "\(text) was not written")
            }
            return version
        }

        /// Takes tokens, which must be there.
        func take(_ tokens: Int, from bucket: SharedBucket) async throws {
            try expect(try await store.takeTokens(tokens, from: bucket), is: .granted(after: .zero), "the grant")
        }

        func text() async throws -> String? {
            try await store.read(key).map { String(decoding: $0.bytes, as: UTF8.self) }
        }

        func lease(for timeToLive: Duration = .seconds(60)) async throws -> SharedLease {
            guard let lease = try await store.lease(key, for: timeToLive) else {
                throw Deviation(what: "there was no lease")
            }
            return lease
        }

        func concurrently<Value: Sendable>(
            _ count: Int,
            _ work: @escaping @Sendable (Int) async throws -> Value
        ) async throws -> [Value] {
            try await withThrowingTaskGroup(of: Value.self) { group in
                for index in 0..<count { group.addTask { try await work(index) } }
                var values: [Value] = []
                for try await value in group { values.append(value) }
                return values
            }
        }

        /// Runs work for at most 10 s: a change that is never reported would block it forever.
        func withinTimeout<Item: Sendable>(_ work: @escaping @Sendable () async throws -> Item) async throws -> Item {
            let value = try await withThrowingTaskGroup(of: Item?.self) { group in
                group.addTask { try await work() }
                group.addTask {
                    try await Task.sleep(for: .seconds(10))
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            guard let value else { throw Deviation(what: "no change was reported within 10 s") }
            return value
        }

        func expect(_ code: SharedStoreError.Code, _ what: String, _ work: () async throws -> Void) async throws {
            do {
                try await work()
            } catch let error as SharedStoreError {
                return try expect(error.code, is: code, "the code for \(what)")
            }
            throw Deviation(what: "\(what) was not refused")
        }
    }
}
