import Foundation

/// From exec to the end of a program that makes one request and decodes it, against the curl program.
struct ColdStart {
    static func run(_ server: BenchServer, rounds: Int) throws {
        let url = server.url("hello").absoluteString
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "ColdStart"
        )
        // Where `swift build -c release --static-swift-stdlib --scratch-path .build/static --product ColdStart` put it.
        let alone = own.deletingLastPathComponent().appending(path: "../../static/release/ColdStart").standardized
        let programs: [(String, URL, [String])] = [
            ("curl", URL(fileURLWithPath: "/usr/bin/curl"), ["-s", "-o", "/dev/null", url]),
            ("chain with decoding", own, [url]),
            ("the same, --static-swift-stdlib", alone, [url]),
        ].filter { FileManager.default.isExecutableFile(atPath: $0.1.path()) }
        let table = Table("Cold start: one request, medians of \(rounds)", ["", "ms", "of curl"])
        var times = programs.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, program) in programs.enumerated() {
                let process = Process()
                process.executableURL = program.1
                process.arguments = program.2
                process.standardOutput = FileHandle.nullDevice
                let clock = ContinuousClock()
                let start = clock.now
                try process.run()
                process.waitUntilExit()
                times[index].append(start.duration(to: clock.now).inSeconds * 1000)
            }
        }
        for (index, program) in programs.enumerated() {
            table.row([program.0, times[index].median.text(1), (times[index].median / times[0].median).text()])
        }
    }
}
