import CoreNetKitStreams
import TestSupport

@Suite("Event streams over a socket", .timeLimit(.minutes(10)), .paced)
struct EventStreamTests {
    private let wire: Wire

    init() throws { wire = try Wire() }

    /// A chat: a word is sent, words come.
    private func chat(_ path: String = "/chat") -> Chain<Word, EventStream<Word>> {
        wire.post(path).events(sending: .json, reading: .json)
    }

    @Test("events arrive as models through the DTO layer, and the request asks for them")
    func models() async throws {
        wire.server.on(.get, "/e", .events("id: 1\nevent: a\ndata: {\"wo", "rd\":\"x\"}\n\ndata: {\"word\":\"y\"}\n\n"))
        let stream = try await wire.get("/e").events(reading: .json(Sentence.self)).reconnect(.never).process()
        let events = try await stream.collect()
        #expect(events.map(\.model) == [Sentence(text: "x."), Sentence(text: "y.")])
        #expect(events.map(\.type) == ["a", "message"])
        #expect(events.map(\.id) == ["1", "1"])
        #expect(stream.lastEventID == "1")
        #expect(stream.state == .closed)
        let request = try #require(wire.server.requests.first)
        #expect(request.headers["Accept"] == "text/event-stream")
        #expect(request.headers["Cache-Control"] == "no-cache")
        #expect(!request.headers.contains("Last-Event-ID"))
    }

    @Test("a POST with a model gives plain models up to the end mark, and is sent once")
    func post() async throws {
        let response = LoopbackResponse.events(": hi\n\n", "data: {\"word\":\"x\"}\n\n", "data: [DONE]\n\ndata: no\n\n")
        wire.server.on(.post, "/chat", response)
        let words = try await chat().until(data: "[DONE]").process(Word(word: "ask")).collect().map(\.model)
        #expect(words == [Word(word: "x")])
        #expect(wire.server.requests.map(\.text) == ["{\"word\":\"ask\"}"])
    }

    @Test("a POST that ends without its end mark is truncated, not done, and not resent")
    func cut() async throws {
        wire.server.on(.post, "/chat", .events("data: {\"word\":\"x\"}\n\n"))
        let stream = try await chat().until(data: "[DONE]").process(Word(word: "ask"))
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next()?.model == Word(word: "x"))
        await expectFailure(.connectionLost, .cut) { try await iterator.next() }
        #expect(wire.server.requests.count == 1)
    }

    @Test("a connection that breaks inside the content fails a POST", arguments: [0, 5, 20])
    func broken(_ place: Int) async throws {
        let response = LoopbackResponse.events("data: {\"word\":\"x\"}\n\ndata: {\"word\":\"y\"}\n\n")
        wire.server.on(.post, "/chat", response.fault(.reset(.inBody(place))))
        await #expect(throws: NetworkError.self) { try await chat().process(Word(word: "ask")).collect() }
        #expect(wire.server.requests.count == 1)
    }

    @Test("the last event may be returned")
    func endType() async throws {
        let text =
            "event: a\ndata: {\"word\":\"x\"}\n\nevent: done\ndata: {\"word\":\"all\"}\n\nevent: a\ndata: {\"word\":\"z\"}\n\n"
        wire.server.on(.get, "/e", .events(text))
        let chain: Chain<Void, EventStream<Word>> = wire.get("/e").events(reading: .json)
        #expect(try await chain.until(type: "done").process().collect().map(\.model.word) == ["x"])
        let included = chain.until(type: "done", isIncluded: true)
        #expect(try await included.process().collect().map(\.model.word) == ["x", "all"])
    }

    @Test("an error inside a 200 is the reader's error, with its content")
    func failures() async throws {
        let good = "data: {\"word\":\"x\"}\n\n"
        wire.server.on(.post, "/a", .events(good + "event: error\ndata: {\"word\":\"overloaded_error\"}\n\n" + good))
        wire.server.on(.post, "/b", .events(good + "data: {\"error\":{\"word\":\"quota\"}}\n\n"))
        let fine = "data: {\"word\":\"error\"}\n\ndata: {\"word\":\"y\",\"error\":null}\n\ndata: end\n\n"
        wire.server.on(.post, "/c", .events(fine))
        for (path, word) in [("/a", "overloaded_error"), ("/b", "quota")] {
            let chain = chat(path).failing(on: "error", as: Word.self)
                .failing(onMember: "error", as: Word.self)
            let stream = try await chain.process(Word(word: "ask"))
            let error = await expectFailure(.reportedByServer) { try await stream.collect() }
            #expect(error?.cause as? Word == Word(word: word))
            #expect(stream.state == .closed)
        }
        let chain = chat("/c").failing(onMember: "error", as: Word.self).until(data: "end")
        #expect(try await chain.process(Word(word: "ask")).collect().count == 2)
    }

    @Test("unrequested types are skipped; data that is not the model's fails or is counted")
    func unknown() async throws {
        let text =
            "event: ping\ndata\n\nevent: a\ndata: {\"word\":\"x\"}\n\nevent: a\ndata: {}\n\nevent: a\ndata: {\"word\":\"y\"}\n\n"
        wire.server.on(.post, "/e", .events(text))
        let chain = chat("/e").only(types: ["a"])
        let error = await expectFailure(.decodingFailed) { try await chain.process(Word(word: "q")).collect() }
        #expect(error?.message.contains("word") == true)
        let stream = try await chain.skippingUnreadable().process(Word(word: "q"))
        #expect(try await stream.collect().map(\.model.word) == ["x", "y"])
        #expect(stream.skipped == 1)
    }

    @Test("an end that is given out and is not the model's fails, also where unreadable data is skipped")
    func unreadableEnd() async throws {
        wire.server.on(.post, "/end", .events("data: {\"word\":\"x\"}\n\nevent: done\ndata: {}\n\n"))
        let chain = chat("/end").until(type: "done", isIncluded: true).skippingUnreadable()
        let stream = try await chain.process(Word(word: "q"))
        await expectFailure(.decodingFailed) { try await stream.collect() }
        #expect(stream.skipped == 0)
    }

    @Test("a status error keeps its body; another media type with 200 is an error with its content")
    func refused() async throws {
        wire.server.on(.get, "/401", .json("{\"why\":\"key\"}", status: 401))
        wire.server.on(.get, "/html", LoopbackResponse(headers: ["Content-Type": "text/html"], body: .text("<h1>")))
        wire.server.on(.get, "/bogus", .pieces("text/event-stream-bogus", "data: x\n\n"))
        for (path, code, text) in [
            ("/401", .unauthorized, "{\"why\":\"key\"}"), ("/html", .decodingFailed, "<h1>"),
            ("/bogus", .decodingFailed, "data: x\n\n"),
        ] as [(String, NetworkError.Code, String)] {
            let error = await expectFailure(code) { try await wire.get(path).events().process() }
            #expect(error?.response?.excerpt() == text)
        }
    }

    @Test("parameters of the media type are fine, and 204 is a stream without events")
    func accepted() async throws {
        wire.server.on(.get, "/a", .pieces("text/event-stream;", "data: x\n\n"), .status(204))
        wire.server.on(.get, "/b", .status(204))
        let quick = Client(clock: CallClock(ManualClock()))
        let stream = try await wire.get("/a").events().reconnect(.never).process()
        #expect(try await stream.collect().map(\.model.data) == ["x"])
        #expect(try await wire.get("/b", client: quick).events().process().collect().isEmpty)
    }

    @Test("a line or event beyond its limit ends the stream with an error")
    func limits() async throws {
        let endless = LoopbackResponse.stream { _ in Data(repeating: 0x61, count: 1000) }
        wire.server.on(.get, "/line", endless.header("Content-Type", "text/event-stream"))
        var options = EventOptions()
        options.limits = EventLimits(line: 10_000)
        let stream = try await wire.get("/line").events(options).process()
        await expectFailure(.responseTooLarge) { try await stream.collect() }
        #expect(stream.state == .closed)
        try await wire.server.waitForDisconnect(of: 0)
    }
}
