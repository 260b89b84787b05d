import CoreNetKitJson
import CoreNetKitObservability
import CoreNetKitSockets
import TestSupport

@Suite("The record of a socket's connection", .timeLimit(.minutes(10)), .paced)
struct SocketRecordTests {
    private struct Text: Codable, Equatable, Sendable {
        var token: String
        var word: String
    }

    private let sink = RecordingSink()

    /// A conversation in JSON that the server closes.
    private func record(keepingBodies: Bool, close: UInt16 = 1001) async throws -> CallRecord {
        let line = Line { peer in
            try await peer.expect(json: Text(token: "s3cret-one", word: "hello"))
            peer.send(json: Text(token: "s3cret-two", word: "welcome"))
            try await peer.expect(data: Data([1, 2, 3]))
            peer.send(text: "plain s3cret-three")
            peer.close(close, "s3cret-four")
            try await peer.expectClose()
        }
        let client = line.client.record(to: sink, keepingBodies: keepingBodies)
        let socket = try await line.builder(client).rawSocket().process()
        try await socket.send(.text(#"{"token":"s3cret-one","word":"hello"}"#))
        _ = try await socket.next()
        try await socket.send(.data(Data([1, 2, 3])))
        _ = try await socket.next()
        _ = try? await socket.next()
        return try #require(try await sink.waitForRecords(1).first)
    }

    private func end(_ record: CallRecord) -> CallEvent.SocketEnd? {
        record.events.compactMap { if case .exchangeEnded(let end) = $0.kind { end.socket } else { nil } }.first
    }

    @Test("counts messages and bytes each way and says how it ended, and has no contents")
    func statistics() async throws {
        let record = try await record(keepingBodies: false)
        #expect(record.problems == [])
        let end = try #require(self.end(record))
        #expect((end.messagesReceived, end.messagesSent) == (2, 2))
        #expect(end.bytesReceived > 30 && end.bytesSent > 50)
        #expect((end.closeCode, end.isClosedByPeer, end.reconnects) == (1001, true, 0))
        #expect(!record.events.contains { if case .socketMessage = $0.kind { true } else { false } })
        #expect(record.log.contains("close 1001 by the other side, 2 messages in"))
        #expect(record.waterfall.contains("101 close 1001"))
        #expect(!"\(record.events)\(record.log)".contains("s3cret"))
        let archive = String(decoding: HARWriter.data(of: [record]), as: UTF8.self)
        #expect(!archive.contains("_webSocketMessages") && archive.contains(#""closeCode":1001"#))
    }

    @Test("keeps messages where contents are kept, in their order and without secrets; of what is no JSON the size")
    func messages() async throws {
        let record = try await record(keepingBodies: true)
        #expect(record.problems == [])
        let messages = record.events.compactMap {
            if case .socketMessage(let message) = $0.kind { message } else { nil }
        }
        #expect(messages.map(\.isSent) == [true, false, true, false])
        #expect(messages.map(\.isText) == [true, true, false, true])
        #expect(messages.map { $0.content == nil } == [false, false, true, true])
        #expect(messages.dropFirst(2).map(\.size) == [3, 18])
        #expect(messages.first?.content.map { String(decoding: $0, as: UTF8.self) }?.contains("hello") == true)
        #expect(!"\(messages.map { String(decoding: $0.content ?? Data(), as: UTF8.self) })".contains("s3cret"))
    }

    @Test("is an entry of an archive as Chrome writes it")
    func archive() async throws {
        let text = String(decoding: HARWriter.data(of: [try await record(keepingBodies: true)]), as: UTF8.self)
        let entry = try #require(try Json(parsing: Data(text.utf8))["log"]?["entries"]?.array?.first)
        #expect(entry["_resourceType"]?.string == "websocket")
        #expect(entry["response"]?["status"]?.int == 101 && entry["response"]?["content"]?["size"]?.int == 0)
        let messages = try #require(entry["_webSocketMessages"]?.array)
        #expect(messages.map { $0["type"]?.string } == ["send", "receive", "send", "receive"])
        #expect(messages.map { $0["opcode"]?.int } == [1, 1, 2, 1])
        #expect(messages.allSatisfy { ($0["time"]?.double ?? 0) > 1_000_000 && $0["data"]?.string != nil })
        #expect(messages.dropFirst(2).first?["_size"]?.int == 3)
        #expect(entry["_coreNetKit"]?["socket"]?["closeCode"]?.int == 1001)
        #expect(!text.contains("s3cret"))
    }

    @Test("is listed on the page, message by message, where contents are kept")
    func page() async throws {
        let record = try await record(keepingBodies: true)
        let page = try Self.page(of: record)
        let exchange = try #require(page["calls"]?[0]?["x"]?[0])
        let messages = try #require(exchange["n"]?.array)
        // A text that went, one that came, bytes that went, a text that is no JSON.
        #expect(messages.map { $0[0]?.int } == [3, 2, 1, 2])
        #expect(messages.dropFirst(2).map { $0[2]?.int } == [3, 18])
        let times = record.events.compactMap { event -> Int? in
            guard case .socketMessage = event.kind else { return nil }
            return Int(event.time / .microseconds(1))
        }
        #expect(messages.map { $0[1]?.int } == times)
        let contents = messages.map { $0[3]?.int.flatMap { page["texts"]?[$0]?.string } }
        #expect(contents[0]?.contains("hello") == true && contents[1]?.contains("welcome") == true)
        #expect(contents[2] == nil && contents[3] == nil)
        #expect(!CallPage([record]).html.contains("s3cret"))
        let bare = try Self.page(of: try await SocketRecordTests().record(keepingBodies: false))
        #expect(bare["calls"]?[0]?["x"]?[0]?["n"] == nil)
    }

    /// The data that the script of a page reads.
    private static func page(of record: CallRecord) throws -> Json {
        let html = CallPage([record]).html
        let start = try #require(html.range(of: #"<script type="application/json" id="data">"#))
        let end = try #require(html[start.upperBound...].range(of: "</script>"))
        return try Json(parsing: Data(html[start.upperBound..<end.lowerBound].utf8))
    }

    @Test("ends with 1006 where there is no close, and tells of reconnections and of the latest ping")
    func reconnections() async throws {
        let line = Line { peer in
            peer.send(text: "one")
            _ = try await peer.next()
            peer.drop()
        } then: { peer in
            peer.send(text: "two")
            try await peer.expectClose()
        }
        let metrics = CallMetrics()
        let client = line.client.record(to: sink).record(to: metrics)
        // Time passes whenever somebody waits: the only ping is to be the one that is asked for.
        let chain = line.builder(client).texts { ($0.reconnection, $0.keepAlive) = (.standard, nil) }
        try await line.clock.passing {
            let socket = try await chain.process()
            #expect(try await socket.next() == "one")
            try await socket.send("go")
            #expect(try await socket.next() == "two")
            _ = try await socket.ping()
            #expect(try await socket.close(4000).code == 4000)
        }
        let ends = try await sink.waitForRecords(2).compactMap { self.end($0) }
        #expect(ends.map(\.closeCode) == [1006, 4000] && ends.map(\.reconnects) == [0, 1])
        #expect(ends.map { $0.latestPing == nil } == [true, false])
        let lines = metrics.prometheus.split(separator: "\n").map { "\($0)" }
        #expect(lines.contains(#"corenetkit_client_socket_closes_total{code="1006"} 1"#))
        #expect(lines.contains(#"corenetkit_client_socket_closes_total{code="4xxx"} 1"#))
        #expect(lines.contains(#"corenetkit_client_socket_messages_total{direction="received"} 2"#))
        #expect(lines.contains(#"corenetkit_client_socket_messages_total{direction="sent"} 1"#))
        #expect(lines.contains("corenetkit_client_socket_reconnects_total 1"))
        #expect(lines.contains("corenetkit_client_socket_ping_seconds_count 1"))
    }

    @Test("has no failure where the connection breaks behind a close", arguments: Stage.Way.allCases)
    func behindClose(_ way: Stage.Way) async throws {
        let stage = try Stage(way) { peer in
            peer.stopResponding()
            peer.close(1001)
            try await peer.expectClose()
            peer.drop()
        }
        let socket = try await stage.builder.record(to: sink).rawSocket().process()
        #expect(try await socket.collect().isEmpty)
        let record = try #require(try await sink.waitForRecords(1).first)
        let ends = record.events.compactMap { if case .exchangeEnded(let end) = $0.kind { end } else { nil } }
        #expect(ends.map(\.result) == [.complete] && ends[0].code == nil && ends[0].socket?.closeCode == 1001)
    }

    @Test("is no long request for who counts durations, with a record and without one", arguments: [true, false])
    func duration(isRecorded: Bool) async throws {
        let line = Line(.socket { peer in try await peer.expectClose() })
        let metrics = CallMetrics()
        let client = isRecorded ? line.client.record(to: metrics).record(to: sink) : line.client.record(to: metrics)
        let socket = try await line.builder(client).raw { $0.keepAlive = nil }.process()
        line.clock.advance(by: .seconds(3600))
        await socket.close()
        await until { metrics.prometheus.contains("socket_closes") }
        #expect(metrics.prometheus.contains(#"http_response_status_code="101""#))
        let sums = metrics.prometheus.split(separator: "\n").filter { $0.contains("duration_seconds_sum") }
        #expect(sums.contains { $0.hasSuffix(" 0.0") })
    }
}
