import CoreNetKitHTTP
import CoreNetKitSystem
import FileModel
import Foundation

@testable import CoreNetKitOutbox

let testURL = URL(string: "https://api.example.com/orders")!

extension Outbox {
    /// An outbox on files of a model.
    static func test(
        _ files: some FileOperations,
        time: TestTime = TestTime(),
        owner: String? = nil,
        folder: String = "/box",
        seed: UInt64 = 7,
        _ change: (inout Options) -> Void = { _ in }
    ) -> Outbox {
        var options = Options()
        options.pollInterval = nil
        change(&options)
        let engine = OutboxEngine(
            files: files,
            folder: folder,
            options: options,
            time: time.time,
            owner: owner,
            seed: seed
        )
        return Outbox(engine: engine)
    }

    /// Stores a request with a text as its body.
    @discardableResult
    func put(
        _ body: String,
        in queue: String? = nil,
        method: HTTPMethod = .post,
        repetition: OutboxRepetition = .keyIsHonoured(),
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        url: URL = testURL
    ) async throws -> OutboxReceipt {
        try await enqueue(
            OutboxRequest(
                method: method,
                url: url,
                headers: ["Content-Type": "text/plain"],
                body: .bytes(Data(body.utf8))
            ),
            in: queue,
            kind: "order",
            expires: expires,
            merging: mergeKey,
            repetition: repetition
        )
    }

    /// Delivers until nothing is left that goes by itself.
    func drain(to server: TestServer) async throws {
        try await deliver(until: nil, stopsWhenDone: true) { try await server.send($0) }
    }
}

extension RequestBody {
    var data: Data? { if case .bytes(let data) = content { data } else { nil } }
}

/// A small, quick, repeatable source of random numbers.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
