import Foundation
import Glibc
import ProgramArguments

struct ProcessResources: Codable, Sendable {
    var descriptors: Int
    var threads: Int
    var residentKilobytes: Int
    /// Open connections of the server.
    var connections: Int

    var megabytes: String { "\(residentKilobytes / 1000).\(residentKilobytes % 1000 / 100)" }

    static func current(connections: Int = 0) -> ProcessResources {
        // Free memory that was not returned is no leak.
        _ = function("malloc_trim", as: (@convention(c) (Int) -> Int32).self)?(0)
        return ProcessResources(
            descriptors: entries("/proc/self/fd"),
            threads: entries("/proc/self/task"),
            residentKilobytes: ResidentMemory.kilobytes,
            connections: connections
        )
    }

    private static func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    /// Restricts the allocator to one arena: otherwise memory varies by some MB with the threads that allocate.
    static func prepare() {
        let arenaLimit: Int32 = -8
        _ = function("mallopt", as: (@convention(c) (Int32, Int32) -> Int32).self)?(arenaLimit, 1)
    }

    /// A C function that no Swift module declares.
    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: type) }
    }

    /// Whether a sanitizer is active: its own memory grows.
    static let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in
        dlsym(dlopen(nil, RTLD_NOW), name) != nil
    }
}
