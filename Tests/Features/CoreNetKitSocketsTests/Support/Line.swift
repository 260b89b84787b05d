import CoreNetKit
import CoreNetKitMock
import CoreNetKitSockets
import Foundation

/// A scripted server, a clock that stands still, and clients of both.
struct Line {
    let mock: MockTransport
    let clock = ManualClock()
    let client: Client

    /// Each connection plays the next script; the last one is repeated.
    init(_ scripts: MockResponse...) {
        mock = MockTransport(clock: clock)
        var rest = scripts[...]
        let last = rest.popLast()
        if let last { mock.on(.get, "/socket", last) }
        for script in rest.reversed() { mock.on(.get, "/socket", times: 1, script) }
        client = Client(clock: CallClock(clock), seed: 1).set(transport: mock)
    }

    func builder(_ client: Client? = nil) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>(client: client ?? self.client).route(.get, "wss://localhost/socket")
    }

    /// A socket of texts.
    func texts(_ change: (inout SocketOptions) -> Void = { _ in }) -> Chain<Void, Socket<String, String>> {
        var options = SocketOptions()
        change(&options)
        return builder().socket(reading: .text, writing: .text, options)
    }

    /// Lets the time pass whenever somebody sleeps, for as long as the work takes.
    func passing<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let clock = clock
        let time = Task { while !Task.isCancelled { try await clock.advanceToNextSleeper() } }
        defer { time.cancel() }
        return try await work()
    }
}

extension AsyncSequence {
    /// All elements.
    func collect() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }
}

extension Socket.Iterator {
    /// The next message, for a task that has the iterator alone.
    consuming func nextMessage() async throws -> In? {
        var iterator = self
        return try await iterator.next()
    }
}

/// The socket error of a failure, and the failure itself.
func failure(_ work: () async throws -> Void) async -> (NetworkError?, SocketError?) {
    do {
        try await work()
        return (nil, nil)
    } catch {
        let failure = error as? NetworkError
        return (failure, failure?.cause as? SocketError)
    }
}

/// Goes on when something has come true; a test that is out of time goes on, and fails on what it finds.
func until(_ isTrue: @Sendable () -> Bool) async {
    while !isTrue(), !Task.isCancelled { await Task.yield() }
}
