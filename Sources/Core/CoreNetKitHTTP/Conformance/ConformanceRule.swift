package protocol ConformanceRule: Sendable {
    associatedtype Trial: ConformanceTrial
    var name: String { get }
    var statement: String { get }
    var check: @Sendable (Trial) async throws -> Void { get }
}

extension Sequence where Element: ConformanceRule {
    /// Returns the violated rules, and what happened instead; `trial` makes the subject of each, and its error is one
    /// of the rule.
    package func violations(
        except names: Set<String>,
        of trial: () async throws -> Element.Trial
    ) async -> [(rule: Element, instead: String)] {
        var violations: [(rule: Element, instead: String)] = []
        for rule in self where !names.contains(rule.name) {
            do {
                try await rule.check(try await trial())
            } catch {
                violations.append((rule, "\(error)"))
            }
        }
        return violations
    }
}

package protocol ConformanceTrial: Sendable {}

extension ConformanceTrial {
    package func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        guard !condition else { return }
        throw Deviation(what: what())
    }

    package func expect<Value: Equatable>(_ found: Value, is wanted: Value, _ what: String) throws {
        try expect(found == wanted, "\(what) was \(found), not \(wanted)")
    }
}

package struct Deviation: Error, CustomStringConvertible {
    private let what: String
    package init(what: String) { self.what = what }
    package var description: String { what }
}
