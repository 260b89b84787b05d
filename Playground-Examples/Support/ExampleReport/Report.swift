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

    /// Explains the program and ends it if there are arguments: it takes none but `--help`.
    package static func expectNoArguments(_ usage: String) {
        guard let word = CommandLine.arguments.dropFirst().first else { return }
        if word == "--help" || word == "-h" {
            print(usage)
            exit(0)
        }
        let name = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
        FileHandle.standardError.write(Data("\(name): there is no option \(word); see --help\n".utf8))
        exit(2)
    }
}
