import Foundation

/// Prints what happened, line by line, and remembers whether everything was as expected.
@MainActor
final class Story {
    private(set) var failures = 0
    private var count = 0

    func chapter(_ title: String) { print("\n\(title)\n" + String(repeating: "─", count: title.count)) }

    func expect(_ condition: Bool, _ title: String, _ detail: String) {
        count += 1
        if !condition { failures += 1 }
        let padding = String(repeating: " ", count: max(1, 24 - title.count))
        print("  \(condition ? "✓" : "✗") \(title)\(padding)\(detail)")
    }

    func end() -> Never {
        print(failures == 0 ? "\nall \(count) as expected" : "\n\(failures) of \(count) not as expected")
        exit(failures == 0 ? 0 : 1)
    }
}
