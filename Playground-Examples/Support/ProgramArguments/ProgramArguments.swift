#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The arguments of a program, which ends with status 2 and one line on the standard error if it does not know one of them.
package struct ProgramArguments {
    /// The arguments that are no options, in order.
    package private(set) var values: [String] = []
    private var options: Set<String> = []
    private let usage: String

    /// Reads the command line; `--help` and `-h` print the usage and end the program with status 0.
    ///
    /// - Parameters:
    ///   - usage: What `--help` prints; its first line is part of each refusal.
    ///   - known: The options of the program.
    ///   - limit: The number of other arguments that it takes.
    package init(_ usage: String, options known: Set<String> = [], values limit: Int = 0) {
        self.usage = usage
        for word in CommandLine.arguments.dropFirst() {
            switch word {
            case "--help", "-h":
                print(usage)
                exit(0)
            case _ where known.contains(word): options.insert(word)
            case _ where word.hasPrefix("-") && word != "-": refuse("unknown option '\(word)'")
            default: values.append(word)
            }
        }
        expect(atMost: limit)
    }

    /// Whether an option was given.
    package func has(_ option: String) -> Bool { options.contains(option) }

    /// Refuses all values after the first ones.
    package func expect(atMost limit: Int) {
        if values.count > limit { refuse("unexpected argument '\(values[limit])'") }
    }

    /// A value that is a number; what is no number is refused.
    package func number<Number: FixedWidthInteger>(at index: Int, default standard: Number) -> Number {
        guard values.indices.contains(index) else { return standard }
        guard let number = Number(values[index]) else { refuse("'\(values[index])' is no number") }
        return number
    }

    /// Ends the program with what is wrong and the first line of its usage.
    package func refuse(_ problem: String) -> Never { Self.refuse(problem, usage: usage) }

    /// Ends a program that reads its command line itself.
    package static func refuse(_ problem: String, usage: String) -> Never {
        let program = CommandLine.arguments[0].split(separator: "/").last ?? ""
        let line = "\(program): \(problem); \(usage.prefix { $0 != "\n" })\n"
        _ = line.withCString { write(2, $0, strlen($0)) }
        exit(2)
    }
}
