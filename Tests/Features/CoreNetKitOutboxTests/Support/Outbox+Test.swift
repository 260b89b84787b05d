import FileModel
import TestSupport

@testable import CoreNetKitOutbox

let testURL = url("https://api.example.com/orders")

/// The code of the error that a step ends with; `nil` if it succeeds.
func code<Value>(of step: () async throws -> Value) async -> OutboxError.Code? {
    await failure(OutboxError.self) { _ = try await step() }?.code
}

/// The message of the error of a chain that a step ends with; empty if it succeeds.
func message<Value>(of step: () async throws -> Value) async -> String {
    do { _ = try await step() } catch { return (error as? NetworkError)?.message ?? "\(error)" }
    return ""
}

extension Outbox {
    static func onModel() -> (files: ModelFiles, time: TestTime, outbox: Outbox) {
        let (files, time) = (ModelFiles(), TestTime())
        return (files, time, test(files, time: time))
    }

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
        return Outbox(engine: OutboxEngine(files, folder, options, time.time, owner: owner, seed: seed))
    }

    @discardableResult
    func put(
        _ body: String,
        in queue: String? = nil,
        method: HTTPMethod = .post,
        repetition: OutboxRepetition = .keyIsHonoured(),
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        owner: String? = nil,
        url: URL = testURL,
        when conditions: Set<OutboxCondition> = []
    ) async throws -> OutboxReceipt {
        let (headers, body) = (["Content-Type": "text/plain"] as Headers, RequestBody.bytes(Data(body.utf8)))
        return try await enqueue(
            OutboxRequest(method: method, url: url, headers: headers, body: body),
            in: queue,
            kind: "order",
            expires: expires,
            merging: mergeKey,
            repetition: repetition,
            owner: owner,
            when: conditions
        )
    }

    /// Delivers until nothing is left that can be sent automatically; the bodies of all requests.
    @discardableResult
    func drain(to server: TestServer) async throws -> [String] {
        try await deliver(until: nil, stopsWhenDone: true) { try await server.send($0) }
        return server.bodies
    }

    func begin() async throws -> DeliveryAttempt {
        let step = await engine.next()
        let attempt: DeliveryAttempt? = if case .attempt(let attempt) = step { attempt } else { nil }
        return try #require(attempt)
    }

    /// Ends an attempt with the server's response, without waiting for what comes after.
    func end(_ attempt: DeliveryAttempt, _ response: TransportResponse) async {
        let verdict = await engine.verdict(on: DeliveryOutcome(response, now: engine.time.date), of: attempt)
        await engine.finish(attempt, verdict, response)
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
    static func test(
        queue: String = "q",
        url: String = "https://a.test/",
        made: WallMoment = WallMoment(wall: 0)
    ) -> EntryHead {
        let (id, post, rule) = (UUID(), "POST", OutboxRepetition.byMethod)
        return .init(id: id, queue: queue, kind: "", method: post, url: url, fields: [:], made: made, repetition: rule)
    }
}

extension IndexedEntry {
    static func test(_ head: EntryHead) -> IndexedEntry {
        IndexedEntry(EntryFacts(number: 1, head: head, byteCount: 1, shared: SharedEntryProperties(head)))
    }
}

extension ModelFiles {
    /// Makes both heads of a segment those of another version of the format.
    func setFormat(_ format: UInt8, ofSegment path: String) {
        change(path) { bytes in
            for start in [0, 48] {
                bytes[start + 8] = format
                let checksum = CRC32C.checksum(bytes[start..<start + 44])
                let end = start + 44..<start + 48
                bytes.replaceSubrange(end, with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
            }
        }
    }
}

extension TemporaryFolder {
    var box: URL { self["box"] }

    func bytes() throws -> Data {
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        return (files?.allObjects ?? []).reduce(into: Data()) { bytes, file in
            if let file = file as? URL { bytes += (try? Data(contentsOf: file)) ?? Data() }
        }
    }
}

extension RequestBody {
    var data: Data? { if case .bytes(let data) = content { data } else { nil } }
}
