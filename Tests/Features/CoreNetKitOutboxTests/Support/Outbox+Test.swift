import CoreNetKitHTTP
import CoreNetKitSystem
import FileModel
import Foundation

@testable import CoreNetKitOutbox

let testURL = url("https://api.example.com/orders")

/// A literal URL of a test.
func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/not a URL") }

extension Outbox {
    /// An outbox on a model's files.
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
        url: URL = testURL,
        when conditions: Set<OutboxCondition> = []
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
            repetition: repetition,
            when: conditions
        )
    }

    /// Delivers until nothing is left that can be sent automatically.
    func drain(to server: TestServer) async throws {
        try await deliver(until: nil, stopsWhenDone: true) { try await server.send($0) }
    }

    /// The same by a program that may be stopped: then it sends nothing more, and ends.
    func drain(to server: TestServer, from files: ModelFiles, _ time: TestTime) async {
        let task = Task {
            try? await deliver(until: nil, stopsWhenDone: true) { attempt in
                if files.isStopped { throw CancellationError() }
                return try await server.send(attempt)
            }
        }
        time.onSleep { if files.isStopped { task.cancel() } }
        await task.value
        time.onSleep(nil)
    }
}

extension EntryHead {
    /// A head without anything particular.
    static func test(
        queue: String = "q",
        url: String = "https://a.test/",
        made: WallMoment = WallMoment(wall: 0)
    ) -> EntryHead {
        EntryHead(
            id: UUID(),
            queue: queue,
            kind: "",
            method: "POST",
            url: url,
            fields: [:],
            made: made,
            repetition: .byMethod
        )
    }
}

extension RequestBody {
    var data: Data? { if case .bytes(let data) = content { data } else { nil } }
}
