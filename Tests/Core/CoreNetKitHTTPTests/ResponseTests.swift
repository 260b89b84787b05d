import CoreNetKitHTTP
import CoreNetKitSystem
import TestPace

@Suite("A response as a value", .timeLimit(.minutes(10)), .paced)
struct ResponseTests {
    private func stream(_ chunks: [Data]) -> ResponseStream {
        let rest = Locked(chunks)
        return ResponseStream(next: { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }, cancel: {})
    }

    @Test("its content is collected up to the limit, and not one byte beyond", arguments: [true, false])
    func limit(isStream: Bool) async throws {
        func body(_ count: Int) -> ResponseBody {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
            return isStream ? .stream(stream([data.prefix(count / 2), data.suffix(count - count / 2)])) : .bytes(data)
        }
        #expect(try await body(8).collect(limit: 8) == Data(0..<8))
        let error = await #expect(throws: TransportError.self) { _ = try await body(9).collect(limit: 8) }
        #expect(error?.code == .responseTooLarge)
        #expect(try await body(0).collect(limit: 0).isEmpty)
        #expect((body(2).data == nil) == isStream)
    }

    @Test("a stream that cannot be read any more is cancelled, one that is still read is not")
    func cancelled() async throws {
        let ends = Locked(0)
        do {
            let stream = ResponseStream(next: { Data([1]) }, cancel: { ends.withLock { $0 += 1 } })
            #expect(stream.ending == nil)
            var chunks = stream.makeAsyncIterator()
            #expect(try await chunks.next() == Data([1]))
            #expect(ends.withLock { $0 } == 0)
        }
        #expect(ends.withLock { $0 } == 1)
    }

    @Test("nodes' values are found by key, replaced and removed")
    func attributes() {
        enum First: Attributes.Key { typealias Value = Int }
        enum Second: Attributes.Key { typealias Value = String }
        var attributes = Attributes()
        #expect(attributes[First.self] == nil)
        attributes[First.self] = nil
        attributes[First.self] = 1
        attributes[Second.self] = "a"
        attributes[First.self] = 2
        #expect(attributes[First.self] == 2 && attributes[Second.self] == "a")
        attributes[First.self] = nil
        #expect(attributes[First.self] == nil && attributes[Second.self] == "a")
    }

    @Test("its failed content keeps its end open, and knows the response; no failure changes nothing")
    func contentFailure() throws {
        var response = TransportResponse(status: 404, headers: [:], body: .bytes(Data([1])), url: Self.url)
        response.isDelimited = true
        response.contentFailure = nil
        #expect(response.isDelimited && response.contentFailure == nil)
        response.contentFailure = TransportError(.connectionLost, phase: .receive, message: "gone")
        #expect(!response.isDelimited)
        let failure = try #require(response.contentFailure)
        #expect(failure.response?.status == 404 && failure.response?.body.data == Data([1]))
    }

    @Test(
        "a refusal or a redirect keeps its status behind failed content; a success is the error, with its response",
        arguments: [200, 204, 299, 300, 304, 404, 503]
    )
    func failing(status: Int) throws {
        var response = TransportResponse(status: status, headers: ["X": "1"], body: .bytes(Data([1])), url: Self.url)
        response.isDelimited = true
        let failure = TransportError(.connectionLost, phase: .receive, message: "gone")
        var (ended, shutDown) = (failure, failure)
        (ended.endsCall, shutDown.code) = (true, .shutDown)
        for error in [failure, ended, shutDown] {
            let isKept = status >= 300 && !error.endsCall && error.code != .shutDown
            do {
                let kept = try response.failing(error)
                #expect(isKept && kept.status == status && !kept.isDelimited)
                #expect(kept.contentFailure?.code == error.code)
            } catch {
                let known = try #require(error.response)
                #expect(!isKept && known.status == status && known.headers["x"] == "1" && !known.isDelimited)
            }
        }
    }

    private static let url = URL(string: "https://a.test/x") ?? URL(fileURLWithPath: "/")

    @Test("sums and products of external numbers saturate")
    func saturating() {
        #expect(Int.max.saturatingAdd(1) == .max && Int.min.saturatingAdd(-1) == .min && 2.saturatingAdd(-3) == -1)
        #expect(Int.max.saturatingMultiply(2) == .max && Int.max.saturatingMultiply(-2) == .min)
        #expect(Int.min.saturatingMultiply(2) == .min && Int.min.saturatingMultiply(-2) == .max)
        #expect(3.saturatingMultiply(-4) == -12)
    }
}

@Suite("The progress of an exchange", .timeLimit(.minutes(10)), .paced)
struct ExchangeMonitorTests {
    @Test("is reported as it is, then on each change, and ends with its last state")
    func updates() async {
        let monitor = ExchangeMonitor()
        var updates = monitor.updates.makeAsyncIterator()
        #expect(await updates.next() == ExchangeMonitor.State())
        monitor.update { $0.bytesSent = 1 }
        monitor.update { $0.bytesSent = 2 }
        #expect(await updates.next()?.bytesSent == 2)
        let waiting = Task {
            for await state in monitor.updates where state.bytesReceived == 3 { return true }
            return false
        }
        monitor.update { $0.bytesReceived = 3 }
        #expect(await waiting.value)
        #expect(await updates.next()?.bytesReceived == 3)
        monitor.update { $0.isEnded = true }
        #expect(await updates.next()?.isEnded == true)
        #expect(await updates.next() == nil)
        #expect(monitor.state.bytesSent == 2 && monitor.state.isEnded)
    }

    @Test("a cancelled task stops waiting for it; others continue")
    func cancelled() async {
        let monitor = ExchangeMonitor()
        func reader() -> Task<[Int64], Never> {
            Task {
                var seen: [Int64] = []
                for await state in monitor.updates { seen.append(state.bytesSent) }
                return seen
            }
        }
        let (gone, staying) = (reader(), reader())
        gone.cancel()
        _ = await gone.value
        monitor.update {
            $0.bytesSent = 7
            $0.isEnded = true
        }
        #expect(await staying.value.last == 7)
    }

    @Test("misses no change and no cancellation while a wait begins")
    func races() async {
        for round in 0..<4000 {
            let monitor = ExchangeMonitor()
            let reader = Task {
                var last = ExchangeMonitor.State()
                for await state in monitor.updates { last = state }
                return last
            }
            // A little later each time, so that some come at the wrong moment.
            for _ in 0..<(round % 40) { _ = monitor.state }
            if round.isMultiple(of: 2) { monitor.update { $0.isEnded = true } } else { reader.cancel() }
            let last = await reader.value
            #expect(last.isEnded == round.isMultiple(of: 2))
        }
    }
}
