import CoreNetKit
import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitSystem

import CoreNetKitEssentials

/// Stores large content on a disk, and copies a hit to a file: the memory for that must not grow with the content.
enum FileHit {
    /// Zeros, a piece at a time.
    private struct Zeros: Transport {
        let length: Int

        var capabilities: TransportCapabilities { [.streamingDownload] }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let left = Locked(length)
            let stream = ResponseStream(
                next: {
                    let count = left.withLock { left in
                        let count = min(left, 1 << 16)
                        left -= count
                        return count
                    }
                    return count > 0 ? Data(count: count) : nil
                },
                cancel: {}
            )
            return TransportResponse(
                status: 200,
                headers: ["Cache-Control": "max-age=3600", "Content-Length": "\(length)"],
                body: .stream(stream),
                url: request.url
            )
        }
    }

    /// Stores content.
    ///
    /// - Parameters:
    ///   - folder: The folder of the cache.
    ///   - mebibytes: Its size.
    /// - Throws: The error of the cache.
    static func store(_ folder: String, mebibytes: Int) async throws {
        let cache = cache(folder, mebibytes)
        var request = TransportRequest(url: page(folder))
        request.delivery = .stream
        try await drain(try await CachingTransport(Zeros(length: mebibytes << 20), cache.engine).send(request))
        await cache.flush()
    }

    /// Copies content that another process has stored, and prints the memory of this process.
    ///
    /// - Parameters:
    ///   - folder: The folder of the cache and of the copy.
    ///   - mebibytes: Its size.
    /// - Returns: Whether the hit was copied completely, in less than 50 MiB.
    /// - Throws: The error of the cache or the file system.
    static func copy(_ folder: String, mebibytes: Int) async throws -> Bool {
        let copy = "\(folder)/copy"
        var request = TransportRequest(url: page(folder))
        request.delivery = .file(URL(filePath: copy))
        let transport = CachingTransport(Zeros(length: 0), cache(folder, mebibytes).engine)
        let before = peak()
        let isHit = try await transport.send(request).cache?.source == .hit
        let isWhole = try PosixFiles().status(of: copy)?.size == mebibytes << 20
        print("file-hit: \(mebibytes) MiB copied, from the cache \(isHit), whole \(isWhole);", terminator: " ")
        print("\((peak() - before) >> 10) KiB more resident at most, \(peak() >> 20) MiB of the process")
        return isHit && isWhole && peak() < 50 << 20
    }

    private static func cache(_ folder: String, _ mebibytes: Int) -> ResponseCache {
        // An entry is an eighth of the limit at most.
        ResponseCache(disk: .folder(URL(filePath: folder).appending(path: "cache"), limit: .mebibytes(mebibytes * 9)))
    }

    private static func page(_ folder: String) -> URL {
        URL(string: "http://shop.test/large") ?? URL(filePath: folder)
    }

    private static func drain(_ response: TransportResponse) async throws {
        guard case .stream(let stream) = response.body else { return }
        for try await _ in stream {}
    }

    /// The peak of resident memory, in bytes.
    private static func peak() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
    }
}
