/// Plays a call on a clock of its own, as the nodes would note it.
package final class Stage: Sendable {
    package let clock = ManualClock()
    package let records = Locked<[CallRecord]>([])
    package let recording: CallRecording
    package let feed: CallFeed

    package init(
        call: UInt64 = 1,
        level: LogLevel = .debug,
        bodies: Bool = false,
        start: Date = Date(timeIntervalSince1970: 1_767_225_600)
    ) throws {
        let records = records
        feed = CallFeed(to: ClosureCallSink { record in records.withLock { $0.append(record) } })
        let made = CallRecording(
            .init(feeds: [feed], lineLevel: level, keepsBodies: bodies),
            call: call,
            clock: CallClock(clock),
            date: start,
            deadline: .seconds(60)
        )
        guard let made else { throw CancellationError() }
        recording = made
    }

    /// The context of a node in an attempt.
    package func context(attempt: Int = 1, branch: Int = 0, depth: Int = 0) -> RequestContext {
        var context = RequestContext(deadline: nil, clock: CallClock(clock)) { _ in self.recording }
        context.attempt = attempt
        context.branch = branch
        context.depth = depth
        return context
    }

    package func pass(_ milliseconds: Int) { clock.advance(by: .milliseconds(milliseconds)) }

    /// Plays a whole exchange.
    package func exchange(
        _ request: TransportRequest,
        _ response: TransportResponse,
        in context: RequestContext,
        taking milliseconds: Int = 10
    ) {
        guard let place = context.beginExchange(request) else { return }
        pass(milliseconds)
        recording.receive(response, at: place)
    }

    /// Ends the call and gives its record.
    package func end(_ outcome: CallRecord.Outcome = .completed) async throws -> CallRecord {
        recording.finish(outcome)
        return try await record()
    }

    package func record() async throws -> CallRecord {
        await feed.flush()
        guard let record = records.withLock({ $0.first }) else { throw CancellationError() }
        return record
    }
}

package func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }

extension TransportTimings {
    /// Timings of a new TLS connection.
    package static func fresh(total: Int = 100) -> TransportTimings {
        var timings = TransportTimings()
        timings.queue = .milliseconds(2)
        timings.resolve = .milliseconds(8)
        timings.connect = .milliseconds(10)
        timings.tls = .milliseconds(20)
        timings.send = .milliseconds(1)
        timings.firstByte = .milliseconds(total - 51)
        timings.receive = .milliseconds(10)
        timings.total = .milliseconds(total)
        timings.bytesSent = 200
        timings.bytesReceived = 1200
        timings.connectionID = 3
        timings.isConnectionReused = false
        timings.httpVersion = "2"
        timings.remoteAddress = "[::1]:8443"
        return timings
    }

    /// Timings of a connection that was open already.
    package static func reused(total: Int = 20) -> TransportTimings {
        var timings = TransportTimings()
        timings.send = .zero
        timings.firstByte = .milliseconds(total - 5)
        timings.receive = .milliseconds(5)
        timings.total = .milliseconds(total)
        timings.connectionID = 3
        timings.isConnectionReused = true
        timings.httpVersion = "1.1"
        timings.remoteAddress = "127.0.0.1:80"
        return timings
    }
}
