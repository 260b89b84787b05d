import CoreNetKit
import CoreNetKitCache
import CoreNetKitCurl
import CoreNetKitHTTP
import Foundation

struct SoakEnvironment: Sendable {
    let base: URL
    /// A proxy that speaks HTTP/2 over TLS and passes requests on to the port that they name.
    let proxy: URL?
    /// The certificate file of its authority.
    let authority: String?
    let folder: URL

    /// How many resources are requested through a cache: more than it has room for.
    static let entries = 101

    /// Reads the proxy from the environment, where the script that starts it sets it.
    init(base: URL) throws {
        self.base = base
        let environment = ProcessInfo.processInfo.environment
        proxy = environment["SOAK_PROXY"].flatMap { URL(string: $0) }
        authority = environment["SOAK_AUTHORITY"]
        folder = FileManager.default.temporaryDirectory.appending(path: "corenetkit-soak-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// The configuration of a transport with so few connections that some tasks always wait.
    func configuration(tasks: Int) -> CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.connectionsPerHost = tasks * 3 / 4
        if let authority { configuration.tls.authorities = .file(authority) }
        return configuration
    }
}

struct SoakTools: Sendable {
    let transport: CurlTransport
    let builder: UrlChainsBuilder<URL>
    let caches: [ResponseCache]
}

/// Two caches of 1 MiB, one in memory and one on disk, and their outcomes.
struct SoakCaches: Sendable {
    let all: [ResponseCache]
    private let folder: URL

    init(in folder: URL) {
        self.folder = folder.deletingLastPathComponent().appending(path: folder.lastPathComponent + "-cache")
        all = [
            ResponseCache(memory: .mebibytes(1)),
            ResponseCache(memory: .bytes(0), disk: .folder(self.folder, limit: .mebibytes(1))),
        ]
    }

    func violations() async -> [String] {
        var found: [String] = []
        for (cache, name) in zip(all, ["memory", "disk"]) {
            await cache.flush()
            let (counts, storage) = (cache.counts, await cache.storageCounts)
            print(
                "cache in \(name): \(counts.hits) hits, \(counts.validated) confirmed, \(counts.stored) stored,",
                "\(counts.refreshes) refreshed, \(storage.evictions) evicted, \(storage.bytes) bytes"
            )
            // The folder is trimmed in the background.
            if storage.bytes > 2 << 20 { found.append("the cache in \(name) has \(storage.bytes) bytes") }
            if storage.errors > 0 { found.append("cache: \(storage.errors) errors, \(storage.problem ?? "")") }
            if storage.damaged > 0 { found.append("cache: \(storage.damaged) damaged") }
            if counts.hits == 0 || counts.validated == 0 { found.append("the cache in \(name) was not used") }
        }
        try? FileManager.default.removeItem(at: folder)
        return found
    }
}
