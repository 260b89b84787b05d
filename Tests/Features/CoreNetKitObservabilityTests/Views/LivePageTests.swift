import CoreNetKitObservability
import TestSupport

@Suite("The live page", .timeLimit(.minutes(10)), .paced)
struct LivePageTests {
    private let clock = ManualClock()
    private let recorder = CallRecorder(keepsBodies: true)

    private func page() -> LivePage { LivePage(recorder, title: "Now", clock: CallClock(clock)) }

    /// The data of the events in a response, with their ids.
    private func events(_ response: LivePage.Response) throws -> [(id: String, data: Json)] {
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "text/event-stream; charset=utf-8")
        return try String(decoding: response.content, as: UTF8.self).components(separatedBy: "\n\n").compactMap {
            event in
            let lines = event.split(separator: "\n").map(String.init)
            guard let data = lines.first(where: { $0.hasPrefix("data: ") }) else { return nil }
            let id = lines.first { $0.hasPrefix("id: ") }?.dropFirst(4) ?? ""
            return (String(id), try Json(parsing: String(data.dropFirst(6))))
        }
    }

    @Test("shows existing calls, continues after them, and may connect only to its own server")
    func first() async throws {
        recorder.write(try await Samples.record())
        let page = page()
        let response = await page.response(to: page.path, headers: [:])
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(response.headers["Cache-Control"] == "no-store")
        let shown = try ShownPage(String(decoding: response.content, as: UTF8.self))
        #expect(shown.calls.count == 1 && shown.markup.contains("id=\"live\" data-after=\"1\""))
        #expect(shown.markup.contains("default-src 'none'") && shown.markup.contains("connect-src 'self'\""))
        #expect(!CallPage([]).html.contains("connect-src"))
    }

    @Test("is at an unguessable path, and nowhere else")
    func path() async throws {
        let page = page()
        #expect(page.path.count == 34 && page.path != self.page().path)
        for target in [
            "/", "/calls?after=0", page.path + "calls", page.path + "calls?after=x", String(page.path.dropLast()),
        ] {
            let response = await page.response(to: target, headers: [:])
            #expect(response.status == 404, "\(target)")
        }
    }

    @Test("a negative number asks for everything", arguments: [Int.min, -1])
    func below(count: Int) async throws {
        recorder.write(try await Samples.record())
        let page = page()
        let asked = await page.response(to: page.path + "calls?after=\(count)", headers: [:])
        #expect(try events(asked).map(\.id) == ["1"])
        let field = await page.response(to: page.path + "calls?after=1", headers: ["Last-Event-ID": "\(count)"])
        #expect(try events(field).map(\.id) == ["1"])
    }

    @Test("a request for events waits for the next call, and gets those that the reader does not have")
    func waits() async throws {
        let page = page()
        let record = try await Samples.record()
        recorder.write(record)
        let asked = Task { await page.response(to: page.path + "calls?after=1", headers: [:]) }
        try await clock.waitForSleepers(1)
        recorder.write(try await Samples.failure(NetworkError(.timedOut, "late", node: "TransportNode")))
        let events = try events(await asked.value)
        #expect(events.map(\.id) == ["2"])
        #expect(events.first?.data["calls"]?.array?.count == 1)
        // The field of a reader that comes again is newer than the address.
        let again = await page.response(to: page.path + "calls?after=0", headers: ["Last-Event-ID": "1"])
        #expect(try self.events(again).first?.data["calls"]?.array?.count == 1)
        let all = await page.response(to: page.path + "calls?after=0", headers: [:])
        #expect(try self.events(all).first?.data["calls"]?.array?.count == 2)
        #expect(!String(decoding: all.content, as: UTF8.self).contains(Samples.canary))
    }

    @Test("a request for events ends after fifteen seconds without a call, and with its reader")
    func timeout() async throws {
        let page = page()
        let asked = Task { await page.response(to: page.path + "calls?after=0", headers: [:]) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(15))
        let response = await asked.value
        #expect(try events(response).isEmpty)
        #expect(String(decoding: response.content, as: UTF8.self) == "retry: 200\n\n")
        let left = Task { await page.response(to: page.path + "calls?after=0", headers: [:]) }
        try await clock.waitForSleepers(1)
        left.cancel()
        #expect(try events(await left.value).isEmpty)
    }

    @Test("a call that runs is shown once a second with its time and how far it is, until its record replaces it")
    func running() async throws {
        let page = page()
        let stage = try Stage(call: 7)
        recorder.begin(stage.recording, of: 7)
        let call = stage.context()
        func expect(_ word: String, after milliseconds: Int) async throws {
            let asked = Task { await page.response(to: page.path + "calls?after=0", headers: [:]) }
            try await clock.waitForSleepers(1)
            stage.pass(10)
            clock.advance(by: .seconds(1))
            let data = try #require(try events(await asked.value).first).data
            let shown = try #require(data["calls"]?[0])
            #expect(shown["w"]?.int.flatMap { data["texts"]?[$0]?.string } == word)
            #expect(shown["o"]?.int == 3 && shown["d"]?.int == milliseconds * 1000, "\(word)")
        }
        call.note(.requestBuilt(method: .post, url: "http://a.test/?token=\(Samples.canary)", headers: [:]))
        call.note(.waitStarted(.init(.concurrency, ahead: 2)))
        try await expect("waiting", after: 10)
        call.note(.waitEnded(.concurrency, .done))
        let place = try #require(call.beginExchange(Samples.request))
        try await expect("pending", after: 20)
        stage.recording.receive(Samples.response(200, .reused()), isOpen: true, at: place)
        try await expect("receiving", after: 30)
        stage.recording.endExchange(.init(.complete), at: place)
        try await expect("working", after: 40)
        let html = String(decoding: await page.response(to: page.path, headers: [:]).content, as: UTF8.self)
        #expect(try ShownPage(html).calls[0]["o"]?.int == 3 && !html.contains(Samples.canary))
        recorder.write(try await stage.end())
        let ended = try events(await page.response(to: page.path + "calls?after=0", headers: [:])).first?.data["calls"]
        #expect(ended?.array?.count == 1 && ended?[0]?["o"] == nil)
    }

    @Test("a client's call is on the page while its server responds")
    func begun() async throws {
        let page = page()
        let mock = MockTransport()
        mock.on(nil, "/**") { _ in
            .text(String(decoding: await page.response(to: page.path, headers: [:]).content, as: UTF8.self))
        }
        let client = Client(transport: mock).record(in: recorder)
        let during = try ShownPage(try await client.text("http://a.test/now"))
        #expect(during.calls.count == 1 && during.text(during.calls[0]["w"]) == "pending")
    }

    @Test("records that the recorder no longer keeps are not waited for")
    func dropped() async throws {
        let recorder = CallRecorder(keep: 1)
        let page = LivePage(recorder, clock: CallClock(clock))
        for _ in 0..<3 { recorder.write(try await Samples.record()) }
        let events = try events(await page.response(to: page.path + "calls?after=0", headers: [:]))
        #expect(events.map(\.id) == ["3"] && events.first?.data["calls"]?.array?.count == 1)
    }

    @Test("over a socket: a call of the program is an event of the page")
    func socket() async throws {
        let page = page()
        let door = try LoopbackServer { request in
            let response = await page.response(to: request.target, headers: request.headers)
            return LoopbackResponse(status: response.status, headers: response.headers, body: .data(response.content))
        }
        defer { door.stop() }
        let mock = MockTransport { $0.on(nil, "/**", .json("{}")) }
        let client = Client(transport: mock).record(in: recorder)
        let asked = Task { try await Client().text("\(door.url)\(page.path)calls?after=0") }
        try await clock.waitForSleepers(1)
        try await client.text("http://a.test/now")
        await client.flushRecords()
        #expect(try await asked.value.contains("http://a.test/now"))
    }
}
