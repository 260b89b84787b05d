/// The result of a test.
enum SuiteResult: Sendable {
    case passed
    case failed(String)
    /// A step before the tested one failed.
    case setupFailed(String)
}

/// The results of all tests, as a table.
struct SuiteReport: Sendable {
    let suites: [Suite]
    let results: [String: SuiteResult]

    func passed(_ kind: SuiteCase.Kind, in suite: Suite? = nil) -> (passed: Int, of: Int) {
        let cases = (suite.map { [$0] } ?? suites).flatMap(\.cases).filter { $0.kind == kind }
        return (cases.filter { isPassed($0.id) }.count, cases.count)
    }

    private func isPassed(_ id: String) -> Bool {
        if case .passed = results[id] { true } else { false }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// One line per suite, the sums, and the names of tests that did not pass.
    var text: String {
        var lines = ["| suite | required | optimal | checks |", "|---|---|---|---|"]
        for suite in suites {
            let cells = [SuiteCase.Kind.required, .optimal, .check].map { kind in
                let (count, all) = passed(kind, in: suite)
                return all == 0 ? "–" : "\(count)/\(all)"
            }
            lines.append("| \(suite.id) | \(cells.joined(separator: " | ")) |")
        }
        let sums = [SuiteCase.Kind.required, .optimal, .check].map { passed($0) }.map { "**\($0.passed)/\($0.of)**" }
        lines.append("| **all** | \(sums.joined(separator: " | ")) |")
        for kind in [SuiteCase.Kind.required, .optimal, .check] {
            lines.append("")
            lines.append(kind == .check ? "checks that say no:" : "\(kind.rawValue), not passed:")
            for test in suites.flatMap(\.cases) where test.kind == kind {
                let blocked = test.needs.filter { !isPassed($0) }
                let note = blocked.isEmpty ? "" : " [needs \(blocked.joined(separator: ", "))]"
                switch results[test.id] {
                case .passed: continue
                case .failed(let text): lines.append("  \(test.id): \(text)\(note)")
                case .setupFailed(let text): lines.append("  \(test.id): setup: \(text)\(note)")
                case nil: lines.append("  \(test.id): was not run")
                }
            }
        }
        return lines.joined(separator: "\n")
    }
}
