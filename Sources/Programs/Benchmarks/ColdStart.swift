import Foundation

/// From exec to the end of a program that makes one request and decodes it, against the curl program.
extension Benchmarks {
    static func coldStart(_ server: BenchServer, rounds: Int) async throws {
        let url = server.url("hello").absoluteString
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let folder = program.deletingLastPathComponent()
        // The result of `swift build -c release --static-swift-stdlib --scratch-path .build/static --product ColdStart`.
        let alone = folder.appending(path: "../../static/release/ColdStart").standardized
        let programs: [(name: String, words: [String])] = [
            ("curl", ["/usr/bin/curl", "-s", "-o", "/dev/null", url]),
            ("chain with decoding", [folder.appending(path: "ColdStart").path(), url]),
            ("the same, --static-swift-stdlib", [alone.path(), url]),
        ].filter { FileManager.default.isExecutableFile(atPath: $0.words[0]) }
        let workloads = programs.map { program in Workload(program.name) { try execute(program.words) } }
        let times = try await Workload.samples(of: workloads, rounds: rounds).map { $0.median(\.wall) }
        let table = Table("Cold start: one request, medians of \(rounds)", ["", "ms", "of curl"])
        for (work, time) in zip(workloads, times) {
            table.row([work.name, (time * 1000).text(1), (time / times[0]).text()])
        }
    }

    /// Runs a program to its end without Foundation's `Process`, which notices the end some milliseconds late.
    private static func execute(_ command: [String]) throws {
        var words = command.map { strdup($0) }
        defer { words.forEach { free($0) } }
        words.append(nil)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var child = pid_t()
        guard posix_spawn(&child, command[0], &actions, nil, words, environ) == 0 else {
            throw BenchmarkFailure("\(command[0]) did not start")
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        guard status == 0 else { throw BenchmarkFailure("\(command[0]) ended with status \(status)") }
    }
}
