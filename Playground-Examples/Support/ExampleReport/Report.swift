import Foundation

/// Prints what was checked, line by line, and ends the program with 1 if anything was not as expected.
package struct Report {
    private var count = 0
    private var failures = 0

    package init() {}

    package mutating func check(_ isExpected: Bool, _ title: String, _ detail: String = "") {
        count += 1
        if !isExpected { failures += 1 }
        let padding = String(repeating: " ", count: max(1, 26 - title.count))
        print("\(isExpected ? "✓" : "✗") \(title)\(detail.isEmpty ? "" : padding + detail)")
    }

    package func end() -> Never {
        print(failures == 0 ? "all \(count) as expected" : "\(failures) of \(count) not as expected")
        exit(failures == 0 ? 0 : 1)
    }
}
