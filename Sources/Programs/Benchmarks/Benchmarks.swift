import Foundation
import ProgramArguments

/// `CORENETKIT_PROGRAMS=1 swift run -c release Benchmarks [section …]` prints a table per section, or all without arguments.
@main
struct Benchmarks {
    static let sections = [
        "policies", "decoding", "requests", "bodies", "large", "memory", "slow", "punctuality", "start", "sockets",
        "fleet",
    ]

    static func main() async throws {
        let arguments = ProgramArguments(
            "usage: Benchmarks [--quick] [\(sections.joined(separator: " | "))] …",
            options: ["--quick"],
            values: .max
        )
        let chosen = arguments.values
        if chosen == ["serve"] { return try await BenchServer.serve() }
        if chosen == ["serve-echo"] { return serveEchoes() }
        if let other = chosen.first(where: { !sections.contains($0) }) {
            arguments.refuse("unknown section '\(other)'")
        }
        let isQuick = arguments.has("--quick")
        // Each section in a process of its own, because memory and caches carry over.
        guard chosen.count == 1 else { return try runEach(chosen.isEmpty ? sections : chosen, isQuick) }
        func wants(_ section: String) -> Bool { chosen.contains(section) }
        #if DEBUG
            print("A debug build; its figures say nothing: CORENETKIT_PROGRAMS=1 swift run -c release Benchmarks")
        #endif

        if wants("policies") { try await idlePolicies() }
        if wants("decoding") { try await decoding() }
        if wants("punctuality") { try await punctuality() }
        if wants("sockets") { try await sockets(rounds: isQuick ? 1 : 9) }
        if wants("fleet") { try await fleet(rounds: isQuick ? 1 : 100) }
        guard ["requests", "bodies", "large", "memory", "slow", "start"].contains(where: wants) else { return }
        let server = try BenchServer()
        defer { server.stop() }
        print("\nserver: \(server.name)")
        if wants("requests") {
            let levels = isQuick ? [1, 64] : [1, 16, 64, 256]
            try await requests(server, rounds: isQuick ? 1 : 10, concurrency: levels)
        }
        if wants("bodies") { try await bodies(server, rounds: isQuick ? 1 : 5) }
        if wants("large") { try await largeBodies(server, rounds: isQuick ? 1 : 5) }
        if wants("memory") { try await memory(server, most: isQuick ? 100_000 : 1_000_000) }
        if wants("slow") { try await slowServer() }
        if wants("start") { try await coldStart(server, rounds: isQuick ? 3 : 20) }
    }

    private static func runEach(_ sections: [String], _ isQuick: Bool) throws {
        for section in sections {
            let process = Process(CommandLine.arguments[0], [section] + (isQuick ? ["--quick"] : []))
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw BenchmarkFailure("the section \(section) failed") }
        }
    }
}
