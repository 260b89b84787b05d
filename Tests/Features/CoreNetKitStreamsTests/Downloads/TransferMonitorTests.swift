import CoreNetKitStreams
import TestSupport

@Suite("Progress of a transfer", .timeLimit(.minutes(10)), .paced)
struct TransferMonitorTests {
    private let clock = ManualClock()

    @Test("at most ten values a second and the last one, the newest each time")
    func throttles() async throws {
        let monitor = TransferMonitor(clock: CallClock(clock))
        let reader = Task { await monitor.progress.reduce(into: [Int64]()) { $0.append($1.received) } }
        try await clock.waitForSleepers(1)
        for step in 1...1000 { monitor.update { $0.received = Int64(step) } }
        try await clock.advanceToNextSleeper()
        #expect(clock.now.offset == .milliseconds(100))
        try await clock.waitForSleepers(1)
        monitor.update { ($0.received, $0.isFinished) = (1001, true) }
        try await clock.advanceToNextSleeper()
        try await clock.advanceToNextSleeper()
        #expect(await reader.value == [0, 1000, 1001])
        var late = monitor.progress.makeAsyncIterator()
        #expect(await late.next()?.isFinished == true)
    }

    @Test("each call starts at zero, whatever happened to the one before it", arguments: [true, false])
    func begins(succeeded: Bool) async {
        let monitor = TransferMonitor(clock: CallClock(clock))
        monitor.begin()
        monitor.update { ($0.received, $0.receivedTotal) = (50, 100) }
        clock.advance(by: .seconds(1))
        monitor.end(succeeded: succeeded)
        #expect(monitor.current.isFinished)
        monitor.begin()
        #expect(monitor.current == TransferProgress())
        var states = monitor.progress.makeAsyncIterator()
        #expect(await states.next() == TransferProgress())
        monitor.end(succeeded: true)
        #expect(monitor.current.isFinished && monitor.current.received == 0)
    }

    @Test("the rate is that of the last seconds, and starts anew with another attempt")
    func rate() {
        let monitor = TransferMonitor(clock: CallClock(clock))
        monitor.update { $0.received = 0 }
        for _ in 0..<10 {
            clock.advance(by: .seconds(1))
            monitor.update { $0.received += 1000 }
        }
        #expect(monitor.current.rate == 1000)
        monitor.update { $0.received = 0 }
        clock.advance(by: .seconds(1))
        monitor.update { $0.received = 500 }
        #expect(monitor.current.rate == 500)
    }

    @Test("the completed part is the response's if its size is known, else the request's")
    func fraction() {
        var progress = TransferProgress()
        #expect(progress.fraction == nil)
        (progress.sent, progress.sentTotal) = (5, 10)
        #expect(progress.fraction == 0.5)
        (progress.received, progress.receivedTotal) = (3, 4)
        #expect(progress.fraction == 0.75)
        progress.received = 9
        #expect(progress.fraction == 1)
        #expect(progress.sentFraction == 0.5)
        progress.sentTotal = 0
        #expect(progress.sentFraction == 1)
    }
}

@Suite("Progress of a call that fails before it has an exchange", .timeLimit(.minutes(10)), .paced)
struct ProgressEndTests {
    /// A way to fail, without a server.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: @Sendable (TransferMonitor) async throws -> Void

        init(_ name: String, _ call: @escaping @Sendable (TransferMonitor) async throws -> Void) {
            (testDescription, self.call) = (name, call)
        }
    }

    private static func builder(_ monitor: TransferMonitor) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>().route(.put, "http://a.test/").progress(in: monitor)
    }

    static let ways: [Way] = [
        Way("no route") { try await UrlChainsBuilder<String>().progress(in: $0).build().process() },
        Way("invalid URL") { try await builder($0).route(.put, "nowhere").build().process() },
        Way("missing file") { monitor in
            let chain: Chain<MultipartModel, Void> = builder(monitor).build()
            try await chain.process(MultipartModel([.file("photo", .url(url: URL(filePath: "/missing/file")))]))
        },
        Way("refused by an outer policy") { monitor in
            let refusing = builder(monitor).insert(at: .outside(of: .pace, "refusal")) { next in
                AnyNode("Refusal", before: next) { _, _ in
                    throw NetworkError(.userChanged, "signed out", node: "Refusal")
                }
            }
            try await refusing.build().process()
        },
        Way("cancelled before it began") { monitor in
            withUnsafeCurrentTask { $0?.cancel() }
            try await builder(monitor).build().process()
        },
        Way("an upload without a valid URL") { monitor in
            let nowhere = UrlChainsBuilder<String>().route(.post, "nowhere")
            _ = try await nowhere.upload(.bytes(Data("x".utf8)), using: .tus(), progress: monitor).process()
        },
        Way("a download without a valid URL") { monitor in
            let (nowhere, file) = (UrlChainsBuilder<String>().route(.get, "nowhere"), URL(filePath: "/missing/file"))
            _ = try await nowhere.download(to: file, resume: .automatic, progress: monitor).process()
        },
    ]

    @Test("ends with the call", arguments: ways)
    func ends(_ way: Way) async {
        let monitor = TransferMonitor()
        let states = monitor.progress
        let call = Task { try await way.call(monitor) }
        await #expect(throws: (any Error).self) { try await call.value }
        #expect(monitor.current.isFinished)
        // It would wait for ever.
        for await _ in states {}
    }
}
