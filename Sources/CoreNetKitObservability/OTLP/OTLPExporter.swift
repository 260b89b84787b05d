#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import CoreNetKitChain
public import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

/// Sends spans to an OpenTelemetry collector, in batches and off the path of the calls.
///
/// What does not fit into its queue is dropped and counted: a collector that is down costs neither memory nor time. Its
/// own requests go straight to the transport and are not recorded.
/// - SeeAlso: [OTLP/HTTP](https://opentelemetry.io/docs/specs/otlp/#otlphttp)
public final class OTLPExporter: CallSink {
    /// How much waits, and how long.
    public struct Limits: Sendable {
        /// The most spans that wait to be sent.
        public var queue = 2048
        /// The most spans in one message.
        public var batch = 512
        /// How long a span waits for others.
        public var delay: Duration = .seconds(5)
        /// How long one message may take.
        public var timeout: Duration = .seconds(10)
        /// How often a message is sent again.
        public var retries = 4

        /// The usual limits.
        public init() {}
    }

    /// What has become of the spans so far.
    public struct Counts: Sendable, Hashable {
        /// Taken by the collector.
        public var sent = 0
        /// Refused by it.
        public var rejected = 0
        /// Lost: no room, or the collector could not be reached.
        public var dropped = 0
        /// Still to be sent, those on their way included.
        public var waiting = 0
    }

    private struct State {
        var spans: [[UInt8]] = []
        var counts = Counts()
        var isRunning = false
        /// Who waits for the end; nothing is held back meanwhile.
        var flushes: [@Sendable () -> Void] = []
        var wakeUp: Task<Void, any Error>?
        var run: Task<Void, Never>?
        var isShutDown = false
        var isDown = false

        /// What there is no time for any more is lost.
        mutating func giveUp() {
            isShutDown = true
            counts.dropped += spans.count
            counts.waiting -= spans.count
            spans = []
            run?.cancel()
            wakeUp?.cancel()
        }
    }

    private let state = Locked(State())
    private let url: URL
    private let headers: Headers
    private let resource: OTLPResource
    private let transport: any Transport
    private let limits: Limits
    private let clock: CallClock
    private let includesCalls: Bool
    private let sampling: TracePolicy.Sampling
    private let log: @Sendable (String) -> Void

    /// Creates an exporter.
    ///
    /// - Parameters:
    ///   - url: Where to: the collector's `/v1/traces`.
    ///   - service: The name of the program.
    ///   - transport: Who sends the messages; best one of its own, so that a stuck collector takes no connection away.
    ///   - headers: Fields for the collector, a token for instance.
    ///   - attributes: What else the collector is to know of the program.
    ///   - sampling: Which calls are sent; of calls in a trace those that it records.
    ///   - includesCalls: Whether there is a span around the exchanges of a call, with its waits.
    ///   - limits: How much waits, and how long.
    ///   - clock: The time that waits go by.
    ///   - log: Takes a line when the collector cannot be reached any more, and one when it can be again.
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
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.log = log
        self.url = url
        self.headers = headers
        self.transport = transport
        self.sampling = sampling
        self.includesCalls = includesCalls
        self.limits = limits
        self.clock = clock
        resource = OTLPResource(service: service, attributes: attributes)
    }

    /// What has become of the spans so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Takes a call.
    public func write(_ record: CallRecord) {
        let spans = OTLPSpans(record, includesCall: includesCalls)
        guard spans.isSampled, record.trace != nil || sampling.takes(spans.randomness) else { return }
        let texts = spans.texts()
        guard !texts.isEmpty else { return }
        let starts = state.withLock { state in
            let room = state.isShutDown ? 0 : min(max(limits.queue - state.counts.waiting, 0), texts.count)
            state.spans += texts.prefix(room)
            state.counts.waiting += room
            state.counts.dropped += texts.count - room
            if state.spans.count >= limits.batch { state.wakeUp?.cancel() }
            guard !state.isRunning, !state.spans.isEmpty else { return false }
            state.isRunning = true
            return true
        }
        guard starts else { return }
        let run = Task.detached(priority: .utility) { await self.run() }
        state.withLock { $0.run = run }
    }

    /// Counts what was lost before it came here.
    public func recordsDropped(_ count: Int) { state.withLock { $0.counts.dropped += count } }

    /// Sends what waits now and waits until it is sent or lost.
    public func flush() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                guard state.isRunning else { return true }
                state.flushes.append { continuation.resume() }
                state.wakeUp?.cancel()
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Sends what waits, but no longer than this; what is left then is counted as dropped, as is all that comes later.
    ///
    /// For the end of a program: nobody knows whether it comes to an end by itself.
    ///
    /// - Parameter limit: How long the end may wait.
    public func shutdown(within limit: Duration) async {
        let end = clock.now + limit
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.flush() }
            group.addTask { [clock] in
                do { try await clock.sleep(until: end) } catch { return }
                self.state.withLock { $0.giveUp() }
            }
            await group.next()
            group.cancelAll()
        }
        state.withLock { $0.giveUp() }
    }

    private func run() async {
        while true {
            await pause()
            guard let batch = next() else { return }
            let outcome = await send(batch)
            let wasDown = state.withLock { state in
                state.counts.sent += outcome.sent
                state.counts.rejected += outcome.rejected
                state.counts.dropped += batch.count - outcome.sent - outcome.rejected
                state.counts.waiting -= batch.count
                defer { state.isDown = outcome.sent + outcome.rejected == 0 }
                return state.isDown
            }
            let isDown = outcome.sent + outcome.rejected == 0
            guard isDown != wasDown, !Task.isCancelled else { continue }
            log(isDown ? "the collector cannot be reached" : "the collector is back")
        }
    }

    /// Waits until enough spans have come together, or long enough.
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

    /// The next batch; `nil` ends the sending.
    private func next() -> [[UInt8]]? {
        let (batch, flushes) = state.withLock { state -> ([[UInt8]]?, [@Sendable () -> Void]) in
            state.wakeUp = nil
            guard !state.spans.isEmpty else {
                state.isRunning = false
                defer { state.flushes = [] }
                return (nil, state.flushes)
            }
            let batch = Array(state.spans.prefix(limits.batch))
            state.spans.removeFirst(batch.count)
            return (batch, [])
        }
        for flush in flushes { flush() }
        return batch
    }

    private func send(_ batch: [[UInt8]]) async -> Counts {
        var request = TransportRequest(
            method: .post,
            url: url,
            headers: headers,
            body: .bytes(Data(OTLPTraces.message(batch, resource)))
        )
        request.headers["Content-Type"] = "application/json"
        request.timeouts.total = limits.timeout
        var pause = Duration.seconds(1)
        for attempt in 0...max(limits.retries, 0) {
            var wait: Duration?
            do {
                let response = try await transport.send(request)
                let body = (try? await response.body.collect(limit: 1 << 20)) ?? Data()
                if 200...299 ~= response.status {
                    let rejected = min(Self.rejected(body), batch.count)
                    return Counts(sent: batch.count - rejected, rejected: rejected)
                }
                guard [429, 502, 503, 504].contains(response.status) else {
                    return Counts(sent: 0, rejected: batch.count)
                }
                wait = response.headers["Retry-After"].flatMap { Int64($0) }.map { .seconds(min(max($0, 0), 300)) }
            } catch let error as TransportError where error.phase == .receive || error.isSafeToResend {
                wait = nil
            } catch {
                return Counts()
            }
            guard attempt < limits.retries, state.withLock({ $0.flushes.isEmpty }) else { break }
            let jitter = Double.random(in: 0.5...1)
            try? await clock.sleep(until: clock.now + (wait ?? .zero) + pause * jitter)
            pause = min(pause * 2, .seconds(30))
        }
        return Counts()
    }

    /// How many spans a collector that took the message did not want; they are not sent again.
    private static func rejected(_ body: Data) -> Int {
        guard let count = (try? Json(parsing: body))?["partialSuccess"]?["rejectedSpans"] else { return 0 }
        return max(count.string.flatMap { Int($0) } ?? count.int ?? 0, 0)
    }
}
