import CoreNetKitSockets
import TestSupport

/// A scripted server, a clock that stands still, and clients of both.
struct Line {
    let mock: MockTransport
    let clock = ManualClock()
    let client: Client

    /// Each connection plays the next script; the last one is repeated.
    init(_ scripts: MockResponse...) { self.init(scripts) }

    init(_ scripts: [MockResponse]) {
        mock = MockTransport(clock: clock)
        // What was said last is asked first.
        for (index, script) in scripts.enumerated().reversed() {
            mock.on(.get, "/socket", times: index == scripts.count - 1 ? nil : 1, script)
        }
        client = Client(clock: CallClock(clock), seed: 1).set(transport: mock)
    }

    init(_ script: @escaping Stage.Script) { self.init(.socket(script)) }

    init(_ first: @escaping Stage.Script, then second: @escaping Stage.Script) {
        self.init(.socket(first), .socket(second))
    }

    func builder(_ client: Client? = nil) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>(client: client ?? self.client).route(.get, "wss://localhost/socket")
    }

    func texts(_ change: (inout SocketOptions) -> Void = { _ in }) -> Chain<Void, Socket<String, String>> {
        builder().texts(change)
    }

    /// Lets the time pass whenever somebody sleeps, for as long as the work takes.
    func passing<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let clock = clock
        let time = Task { while !Task.isCancelled { try await clock.advanceToNextSleeper() } }
        defer { time.cancel() }
        return try await work()
    }
}

extension UrlChainsBuilder {
    /// A socket of texts.
    func texts(_ change: (inout SocketOptions) -> Void = { _ in }) -> Chain<Void, Socket<String, String>> {
        socket(reading: .text, writing: .text, SocketOptions(change))
    }

    /// A socket of messages.
    func raw(_ change: (inout SocketOptions) -> Void) -> Chain<Void, Socket<SocketMessage, SocketMessage>> {
        rawSocket(SocketOptions(change))
    }
}

extension SocketOptions {
    init(_ change: (inout SocketOptions) -> Void) {
        self.init()
        change(&self)
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

/// The socket error of a failure, and the failure itself.
func socketFailure(_ work: () async throws -> Void) async -> (NetworkError?, SocketError?) {
    do {
        try await work()
        return (nil, nil)
    } catch {
        let failure = error as? NetworkError
        return (failure, failure?.cause as? SocketError)
    }
}

/// Expects work to fail, with a socket error of this code if one is given.
func expectFailure(
    _ code: NetworkError.Code,
    _ cause: SocketError.Code? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ work: () async throws -> Void
) async {
    let (error, found) = await socketFailure(work)
    #expect(error?.code == code, sourceLocation: location)
    if let cause { #expect(found?.code == cause, sourceLocation: location) }
}
