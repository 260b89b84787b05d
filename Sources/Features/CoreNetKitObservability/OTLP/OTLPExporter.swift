public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

/// Sends spans to an OpenTelemetry collector, in batches and outside the calls.
///
/// Spans over the limit of its queue are dropped and counted: an unavailable collector costs neither memory nor time. Its
/// own requests go directly to the transport and are not recorded.
/// - SeeAlso: [OTLP/HTTP](https://opentelemetry.io/docs/specs/otlp/#otlphttp)
public final class OTLPExporter: CallSink {
    /// Limits of the queue and of time.
    public struct Limits: Sendable {
        /// The maximum number of queued spans.
        public var queue = 2048
        /// The maximum number of spans in one message, at least one.
        public var batch = 512
        /// How long a span waits for others.
        public var delay: Duration = .seconds(5)
        /// The timeout of one message.
        public var timeout: Duration = .seconds(10)
        /// The maximum number of retries of a message.
        public var retries = 4

        /// The usual limits.
        public init() {}
    }

    /// Statistics of the spans.
    public struct Counts: Sendable, Hashable {
        /// Accepted by the collector.
        public var sent = 0
        /// Rejected by it.
        public var rejected = 0
        /// Lost: the queue was full, or the collector could not be reached.
        public var dropped = 0
        /// Not sent yet, including those in flight.
        public var waiting = 0
    }

    private let state = Locked(OTLPQueue())
    private let url: URL
    private let headers: Headers
    private let resource: OTLPResource
    private let transport: any Transport
    private let limits: Limits
    private let clock: CallClock
    private let date: @Sendable () -> Date
    private let includesCalls: Bool
    private let sampling: TracePolicy.Sampling
    private let log: @Sendable (String) -> Void

    /// Creates an exporter.
    ///
    /// - Parameters:
    ///   - url: The collector's `/v1/traces`.
    ///   - service: The name of the program.
    ///   - transport: The transport of the messages; preferably a separate one, so that a slow collector takes no
    ///     connections from others.
    ///   - headers: Fields for the collector, such as a token.
    ///   - attributes: Further attributes of the program.
    ///   - sampling: Which calls are sent; of calls in a trace those that it records.
    ///   - includesCalls: Whether there is a span around the exchanges of a call, with its waits.
    ///   - limits: Limits of the queue and of time.
    ///   - clock: The clock for waits.
    ///   - date: The time of day, for a `Retry-After` that is a date.
    ///   - log: Receives a line when the collector becomes unavailable or rejects everything, one when it is available
    ///     again, and one with the number of lost spans at the end.
    public init(
        to url: URL,
        service: String,
        transport: any Transport,
        headers: Headers = [:],
        attributes: [(String, String)] = [],
        sampling: TracePolicy.Sampling = .all,
        includesCalls: Bool = false,
        limits: Limits = Limits(),
        clock: CallClock = .continuous,
        date: @escaping @Sendable () -> Date = { Date() },
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        var limits = limits
        limits.batch = max(limits.batch, 1)
        (self.url, self.headers, self.transport, self.limits) = (url, headers, transport, limits)
        (self.sampling, self.includesCalls) = (sampling, includesCalls)
        (self.clock, self.date, self.log) = (clock, date, log)
        resource = OTLPResource(service: service, attributes: attributes)
    }

    /// The statistics so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Queues the spans of a call.
    public func write(_ record: CallRecord) {
        let spans = OTLPSpans(record, includesCall: includesCalls)
        guard spans.isSampled, record.trace != nil || sampling.takes(spans.randomness) else { return }
        let texts = spans.texts()
        guard !texts.isEmpty else { return }
        state.withLock { state in
            state.add(texts, limit: limits.queue)
            if state.spans.count >= limits.batch { state.wakeUp?.cancel() }
            guard !state.isRunning, !state.spans.isEmpty else { return }
            state.isRunning = true
            // In one step: a concurrent shutdown cancels this run, not an earlier one.
            state.run = Task.detached(priority: .utility) { await self.run() }
        }
    }

    /// Counts records that were lost before they arrived here.
    public func recordsDropped(_ count: Int) { state.withLock { $0.counts.dropped += count } }

    /// Sends the queued spans, and waits until they are sent or lost; does not wait for later ones.
    ///
    /// A message that the collector cannot accept yet is retried after the wait that it asks for, within the time limit.
    ///
    /// - Parameter limit: How long to wait; remaining spans stay queued then.
    /// - Returns: The number of spans that the collector has not accepted.
    @discardableResult
    public func flush(within limit: Duration = .seconds(30)) async -> Int {
        let (end, waiter) = (clock.time(after: limit), Waiter<Int>())
        guard state.withLock({ $0.await(until: end, waiter) }) else { return 0 }
        let timer = Task {
            do { try await clock.sleep(until: end) } catch { return }
            state.withLock { $0.leave(waiter) }?.resume()
        }
        defer { timer.cancel() }
        return (try? await waiter.result()) ?? 0
    }

    /// Sends the queued spans within a time limit, and returns how many of them the collector has not accepted.
    ///
    /// For the end of a program: all others, including later ones, are counted as dropped. Lost spans are also logged.
    @discardableResult
    public func shutdown(within limit: Duration) async -> Int {
        let lost = await flush(within: limit)
        for flush in state.withLock({ $0.giveUp() }) { flush.resume() }
        if lost > 0 { log("\(lost) spans are lost") }
        return lost
    }

    private func run() async {
        while true {
            await pause()
            guard let batch = state.withLock({ $0.take(limits.batch) }) else { return }
            let outcome = await send(batch)
            let isDown = outcome.problem != nil
            let (wasDown, isOver, passed) = state.withLock { state in
                defer { state.isDown = isDown }
                let passed = state.complete(batch.count, sent: outcome.sent, rejected: outcome.rejected)
                return (state.isDown, state.isShutDown, passed)
            }
            // Logged first, because it states the reason.
            if isDown != wasDown, !isOver { log(outcome.problem ?? "the collector is back") }
            for flush in passed { flush.resume() }
        }
    }

    /// Waits until enough spans are queued, or for the maximum delay.
    private func pause() async {
        let end = clock.now + limits.delay
        let wait = state.withLock { state -> Task<Void, any Error>? in
            guard state.flushes.isEmpty, state.spans.count < limits.batch, !state.spans.isEmpty else { return nil }
            let task = Task { [clock] in try await clock.sleep(until: end) }
            state.wakeUp = task
            return task
        }
        _ = await wait?.result
    }

    private struct Outcome {
        var sent = 0
        var rejected = 0
        /// Why the collector did not accept it, as text.
        var problem: String?
        /// After which time it may be sent again; `nil` if it may not.
        var wait: Duration?
    }

    private func send(_ batch: [[UInt8]]) async -> Outcome {
        let request = request(for: batch)
        var pause = Duration.seconds(1)
        var attempt = 0
        while true {
            let outcome = await self.attempt(request, count: batch.count)
            guard let wait = outcome.wait else { return outcome }
            attempt += 1
            let next = clock.now + wait + pause * Double.random(in: 0.5...1)
            // A flush or shutdown allows more retries than a background message.
            guard attempt <= limits.retries || state.withLock({ $0.isAwaited(at: next) }) else { return outcome }
            do { try await clock.sleep(until: next) } catch { return outcome }
            pause = min(pause * 2, .seconds(30))
        }
    }

    private func request(for batch: [[UInt8]]) -> TransportRequest {
        let body = RequestBody.bytes(Data(OTLPTraces.message(batch, resource)))
        var request = TransportRequest(method: .post, url: url, headers: headers, body: body)
        request.headers["Content-Type"] = "application/json"
        request.timeouts.total = limits.timeout
        return request
    }

    /// Sends a message of `count` spans once.
    private func attempt(_ request: TransportRequest, count: Int) async -> Outcome {
        do {
            let response = try await transport.send(request)
            let body = (try? await response.body.collect(limit: 1 << 20)) ?? Data()
            if 200...299 ~= response.status {
                let rejected = min(Self.rejected(body), count)
                return Outcome(sent: count - rejected, rejected: rejected)
            }
            let status = "status \(response.status)"
            guard TransientStatus(rawValue: response.status)?.isRetryableInOTLP == true else {
                return Outcome(rejected: count, problem: "the collector refuses what it gets: \(status)")
            }
            let wait = RetryAfter.wait(of: response.headers, now: date).map { min($0, .seconds(300)) }
            return Outcome(problem: "the collector is busy: \(status)", wait: wait ?? .zero)
        } catch let error as TransportError where 200...299 ~= error.response?.status ?? 0 {
            // Accepted, although the rest of the response is lost.
            return Outcome(sent: count)
        } catch let error as TransportError where error.phase == .receive || error.isSafeToResend {
            return Outcome(problem: Self.unreachable, wait: .zero)
        } catch {
            return Outcome(problem: Self.unreachable)
        }
    }

    private static let unreachable = "the collector cannot be reached"

    /// How many spans of an accepted message the collector rejected; they are not sent again.
    private static func rejected(_ body: Data) -> Int {
        guard let count = (try? Json(parsing: body))?["partialSuccess"]?["rejectedSpans"] else { return 0 }
        return max(count.string.flatMap { Int($0) } ?? count.int ?? 0, 0)
    }
}
