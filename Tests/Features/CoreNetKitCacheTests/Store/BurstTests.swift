import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem
import TestPace
import Testing

import Foundation

@Suite("A disk with many concurrent users", .timeLimit(.minutes(10)), .paced)
struct BurstTests {
    static let fresh: Headers = ["Cache-Control": "max-age=60"]

    private func shop(bytes: Int) throws -> DiskShop {
        try DiskShop(memory: .mebibytes(8)) { request, _ in
            TransportResponse(
                status: 200,
                headers: Self.fresh,
                body: .bytes(Data(repeating: 7, count: bytes)),
                url: request.url
            )
        }
    }

    @Test(
        "concurrent misses are all stored",
        arguments: [(200, 30_000), (100, 60_000), (1000, 2_000)]
    )
    func burst(count: Int, bytes: Int) async throws {
        let shop = try shop(bytes: bytes)
        for _ in 0..<2 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count { group.addTask { _ = try? await shop.data("\(number)") } }
            }
            await shop.cache.flush()
        }
        #expect(shop.origin.count == count)
        #expect(shop.cache.counts.stored == count)
    }

    @Test("of concurrent misses and reloads of one URL one body remains")
    func oneBody() async throws {
        let shop = try shop(bytes: 300_000)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { _ = try? await shop.data() } }
        }
        #expect(try await shop.files().count == 2)
        for _ in 0..<20 { _ = try await shop.data("page", [:], .reload) }
        #expect(try await shop.files().count == 2)
    }

    @Test("a stream that is faster than the disk is stored, and only its end says so")
    func fastStream() async throws {
        let chunks = 384
        let shop = try DiskShop(limit: .mebibytes(256)) { request, _ in
            let left = Locked(chunks)
            let stream = ResponseStream(
                next: {
                    left.withLock { left in
                        left -= 1
                        return left < 0 ? nil : Data(repeating: UInt8(truncatingIfNeeded: left), count: 65_536)
                    }
                },
                cancel: {}
            )
            return TransportResponse(status: 200, headers: Self.fresh, body: .stream(stream), url: request.url)
        }
        for pass in 0..<2 {
            var count = 0
            for try await chunk in try await shop.builder().loadStream().process() as ResponseStream {
                #expect(pass > 0 || count > 0 || shop.cache.counts.stored == 0)
                count += chunk.count
            }
            #expect(count == chunks * 65_536)
            await shop.cache.flush()
        }
        #expect(shop.origin.count == 1 && shop.cache.counts.stored == 1)
    }

    @Test("a damaged byte in a body is never returned, even if the body was used in this run")
    func damagedLater() async throws {
        let shop = try shop(bytes: 300_000)
        _ = try await shop.data()
        // Content of this length is visible once it is on disk.
        await shop.cache.flush()
        #expect(try await shop.data().count == 300_000)
        let name = try #require(try await shop.files().first { $0.contains(".") })
        let path = "\(shop.folder.path)/\(name)"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[200_000] ^= 1
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: bytes)
        try handle.close()
        #expect(try await shop.data() == Data(repeating: 7, count: 300_000))
        #expect(shop.origin.count == 2)
    }

    @Test("a folder that cannot be used leaves the memory in front of it, and says so")
    func unusableFolder() async throws {
        let shop = try DiskShop(below: "/missing/deep") { request, number in
            reply(200, Self.fresh, "\(number)", url: request.url)
        }
        for _ in 0..<3 { #expect(try await shop.text() == "1") }
        #expect(await shop.cache.storageCounts.problem != nil)
        shop.time.advance(30)
        #expect(try await shop.text() == "1")
        try await shop.post()
        shop.time.advance(1)
        #expect(try await shop.text() == "3")
    }
}
