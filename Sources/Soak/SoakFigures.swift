import Foundation

#if os(Linux)
    import Glibc
#else
    import Darwin
#endif

/// What a process holds.
struct SoakFigures: Codable, Sendable {
    var descriptors: Int
    var threads: Int
    var kilobytes: Int
    /// Open connections of the server.
    var connections: Int

    var megabytes: String { "\(kilobytes / 1000).\(kilobytes % 1000 / 100)" }

    static func current(connections: Int = 0) -> SoakFigures {
        #if os(Linux)
            // What is free but not given back says nothing about leaks.
            _ = trim?(0)
        #endif
        return SoakFigures(
            descriptors: entries("/proc/self/fd"),
            threads: entries("/proc/self/task"),
            kilobytes: residentKilobytes(),
            connections: connections
        )
    }

    private static func residentKilobytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    private static func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    #if os(Linux)
        /// `malloc_trim`, which no module of Swift declares.
        private static let trim = dlsym(dlopen(nil, RTLD_NOW), "malloc_trim").map { symbol in
            unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
        }
    #endif

    /// Whether a sanitizer watches: its own memory grows.
    static let isWatched = ["__tsan_init", "__asan_init"].contains { (name: String) in
        dlsym(dlopen(nil, RTLD_NOW), name) != nil
    }
}
