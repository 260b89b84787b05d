/// Programs that tests run as processes of their own.
package enum TestProgram {
    /// The executable of a target, beside the test bundle; `nil` if it was not built.
    package static func named(_ name: String) -> URL? {
        (Bundle.allBundles.map(\.bundleURL) + CommandLine.arguments.prefix(1).map { URL(fileURLWithPath: $0) })
            .map { $0.deletingLastPathComponent().appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}

/// A process of a program, with its output in a file.
package struct ChildProcess {
    private let process = Process()
    private let output: URL
    private let exit: AsyncStream<Void>
    package var processIdentifier: Int32 { process.processIdentifier }

    package init(_ program: URL?, _ arguments: [String], in folder: TemporaryFolder) throws {
        output = folder["output-\(UInt32.random(in: .min ... .max))"]
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        (process.executableURL, process.arguments) = (program, arguments)
        let handle = try FileHandle(forWritingTo: output)
        (process.standardOutput, process.standardError) = (handle, handle)
        let (exit, continuation) = AsyncStream<Void>.makeStream()
        self.exit = exit
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
    }

    package func end() async { for await _ in exit {} }

    package func kill() async {
        Foundation.kill(process.processIdentifier, SIGKILL)
        await end()
    }

    /// What it has said, once it has ended.
    package func text() async -> String {
        await end()
        return said
    }

    /// What it has said so far in whole lines.
    package var lines: [String] {
        said.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private var said: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
}
