public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// A transport that plays recorded exchanges, records new ones, or compares both.
///
/// The tape is an HTTP archive: it opens in a browser's developer tools, and what a browser has saved is a tape. Secrets
/// are replaced by numbered placeholders while recording, and in requests before they are compared.
///
/// ```swift
/// let tape = try Cassette(file)
/// let client = Client(transport: tape)
/// …
/// #expect(tape.report.isClean)
/// ```
///
/// Equal requests get their responses in the order of the tape, each once; parallel requests of different kinds do not
/// disturb one another. It stands where the wire is: each redirect and each repetition is an exchange of its own.
public final class Cassette: Transport {
    /// What is played and what is recorded.
    public enum Mode: Sendable, Hashable {
        /// Plays, never asks the network.
        case replay
        /// Records where there is no tape yet, else plays.
        case record
        /// Records all anew.
        case rewrite
        /// Plays what is there and records the rest.
        case append
        /// Neither plays nor records.
        case live
        /// Asks the network and reports where its responses differ from the tape.
        case verify
    }

    /// Choices beside the mode.
    public struct Options: Sendable {
        /// Whether the last of equal entries is played again when all have been; otherwise that is an error.
        public var repeatsLast = false
        /// Whether failures are recorded: statuses from 500, which are an accident in most recordings.
        public var recordsFailures = false
        /// How old a tape may be before the report says so.
        public var warningAge: Duration? = .seconds(90 * 86_400)
        /// How old a tape may be before it is refused.
        public var maximumAge: Duration?
        /// Whether a response takes as long as it took when it was recorded.
        public var replaysLatency = false
        /// Whether ``Mode/verify`` compares the values of JSON beside its shape.
        public var verifiesValues = false
        /// What is secret, beside what the client of a request says.
        public var secrets = SecretRules.standard

        /// The usual choices.
        public init() {}
    }

    private struct State {
        var entries: [CassetteEntry]
        var redactor: Redactor
        var report = CassetteReport()
        var isPlaying: Bool

        /// The rules of the client whose request it is, where it has some of its own.
        mutating func follow(_ request: TransportRequest, _ options: Options) {
            redactor.rules = request.secrets.isStandard ? options.secrets : request.secrets
        }

        /// Takes what stands on the tape, and makes the requests of another version of the rules what they would be now.
        mutating func take(_ content: CassetteFile.Content, by secrets: SecretRules) {
            entries = content.entries
            guard content.secrets != SecretRules.version else { return }
            // The first version took long random texts for secrets.
            if content.secrets == 1 { redactor = Redactor(.numbered, by: secrets, looks: .all) }
            for index in entries.indices { entries[index].request = entries[index].request.redacted(&redactor) }
        }
    }

    /// What the tape plays and records.
    public let mode: Mode
    private let file: CassetteFile
    private let matches: [CassetteMatch]
    private let options: Options
    private let transport: (any Transport)?
    private let clock: any Clock<Duration>
    private let date: @Sendable () -> Date
    private let state: Locked<State>

    /// Opens a tape.
    ///
    /// - Parameters:
    ///   - url: The file of the tape.
    ///   - mode: What is played and what is recorded.
    ///   - match: What has to be equal for a recorded response to be the right one.
    ///   - transport: Who performs live exchanges, in all modes but ``Mode/replay``.
    ///   - options: Choices beside the mode.
    ///   - clock: What recorded latency is waited for on.
    ///   - date: The time of day.
    /// - Throws: ``CassetteError`` for a tape that is missing, too old or no tape, and for a mode without a transport.
    public init(
        _ url: URL,
        mode: Mode = .replay,
        match: [CassetteMatch] = .standard,
        live transport: (any Transport)? = nil,
        options: Options = Options(),
        clock: any Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws(CassetteError) {
        let file = CassetteFile(url: url)
        let isPlaying = mode == .replay || mode == .append || mode == .record && file.exists
        var state = State(entries: [], redactor: Redactor(.numbered, by: options.secrets), isPlaying: isPlaying)
        let reads = mode != .live && mode != .rewrite && (file.exists || mode == .replay || mode == .verify)
        if reads {
            let content = try file.read()
            state.take(content, by: options.secrets)
            let age = content.recordedAt.map { date().length(from: $0) }
            if let age, let limit = options.maximumAge, age > limit {
                throw CassetteError(code: .tooOld, message: "\(url.path) is \(age) old; record it anew")
            }
            if let age, let limit = options.warningAge, age > limit { state.report.age = age }
        }
        if mode != .replay, transport == nil, !(mode == .record && file.exists) {
            throw CassetteError(code: .noTransport, message: "mode \(mode) needs a transport for live exchanges")
        }
        self.mode = mode
        self.file = file
        self.matches = match
        self.options = options
        self.transport = transport
        self.clock = clock
        self.date = date
        self.state = Locked(state)
    }

    /// What the live transport can do, or all that a tape can stand for.
    public var capabilities: TransportCapabilities {
        transport?.capabilities
            ?? [.phaseTimeouts, .streamingUpload, .streamingDownload, .exactHeaders, .bodyOnAnyMethod]
    }

    /// What went well and what did not; looked at when a test ends.
    public var report: CassetteReport {
        state.withLock { state in
            var report = state.report
            if state.isPlaying { report.unused = state.entries.filter { !$0.isPlayed }.map(\.summary) }
            return report
        }
    }

    /// Plays, records or compares, as the mode says.
    ///
    /// - Parameter request: The request.
    /// - Returns: The recorded or the live response.
    /// - Throws: `TransportError` with the nearest entry and what differs for a request that is not on the tape, or what
    ///   the live transport throws.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        switch mode {
        case .live: return try await live(request)
        case .verify: return try await verify(request)
        case .rewrite: return try await recorded(request)
        case .replay, .record, .append:
            let (entry, error) = find(request)
            if let entry { return try await play(entry, for: request) }
            if transport != nil, mode == .append || !state.withLock({ $0.isPlaying }) {
                return try await recorded(request)
            }
            throw error
        }
    }

    private func live(_ request: TransportRequest) async throws -> TransportResponse {
        guard let transport else {
            throw TransportError(.failed, phase: .queue, message: "the tape has no transport for live exchanges")
        }
        return try await transport.send(request)
    }

    /// The first entry of the request's kind that has not been played; or the error that says why there is none.
    private func find(_ request: TransportRequest) -> (CassetteEntry?, TransportError) {
        state.withLock { state in
            state.follow(request, options)
            let sent = CassetteRequest(request, &state.redactor)
            let key = CassetteKey(sent, matches)
            var last: Int?
            for index in state.entries.indices where CassetteKey(state.entries[index].request, matches) == key {
                last = index
                guard !state.entries[index].isPlayed else { continue }
                state.entries[index].isPlayed = true
                return (state.entries[index], Self.error(""))
            }
            if let last, options.repeatsLast { return (state.entries[last], Self.error("")) }
            let message =
                last == nil
                ? Self.miss(sent, key, state.entries, matches)
                : "every response to \(sent.method) \(sent.url) has been played"
            if mode != .append, state.isPlaying { state.report.unmatched.append(message) }
            return (nil, Self.error(message))
        }
    }

    private static func error(_ message: String) -> TransportError {
        // Sending it again would find nothing either.
        TransportError(.failed, phase: .queue, message: message, isSafeToResend: false)
    }

    private static func miss(
        _ sent: CassetteRequest,
        _ key: CassetteKey,
        _ entries: [CassetteEntry],
        _ matches: [CassetteMatch]
    ) -> String {
        let start = "\(sent.method) \(sent.url) is not on the tape"
        let keys = entries.map { (entry: $0, key: CassetteKey($0.request, matches)) }
        guard let nearest = keys.min(by: { $0.key.distance(to: key) < $1.key.distance(to: key) }) else {
            return "\(start), which is empty"
        }
        let differing = key.differences(from: nearest.key).joined(separator: ", ")
        return "\(start); nearest: \(nearest.entry.summary), which differs in: \(differing)"
    }

    private func play(_ entry: CassetteEntry, for request: TransportRequest) async throws -> TransportResponse {
        if options.replaysLatency {
            try await clock.sleep(for: .microseconds(Int64(min(entry.time, 3_600_000) * 1000)))
        }
        var answer = MockResponse.data(entry.body, status: entry.status)
        answer.headers = entry.headers
        let content = MockContent(answer) {}
        var response = TransportResponse(status: entry.status, headers: entry.headers, url: request.url)
        switch request.delivery {
        case .collect(let limit): response.body = .bytes(try await content.collect(limit: limit))
        case .stream: response.body = .stream(ResponseStream(next: { try await content.next() }, cancel: {}))
        case .discard where 200...299 ~= entry.status: response.body = .bytes(try await content.drop())
        case .discard: response.body = .bytes(try await content.collect(limit: .max))
        case .file(let url):
            response.body =
                200...299 ~= entry.status
                ? .file(try await content.write(to: url)) : .bytes(try await content.collect(limit: .max))
        }
        return response
    }

    private func recorded(_ request: TransportRequest) async throws -> TransportResponse {
        let start = clock.now
        var (response, body) = try await exchanged(request)
        response.body = Self.delivered(body, as: request.delivery, response.body)
        guard response.status < 500 || options.recordsFailures else {
            state.withLock {
                $0.report.refused.append("\(request.method) \(Redaction.url(request.url)): \(response.status)")
            }
            return response
        }
        let time = start.elapsed(on: clock)
        try state.withLock { state in
            state.follow(request, options)
            let sent = CassetteRequest(request, &state.redactor)
            let type = response.headers["Content-Type"]
            // What was decompressed has another length, and is not coded any more.
            var headers = response.headers
            for name in ["Content-Encoding", "Content-Length", "Transfer-Encoding"] { headers.remove(name) }
            let entry = CassetteEntry(
                request: sent,
                status: response.status,
                headers: state.redactor.fields(headers),
                body: state.redactor.kept(body, type: type),
                time: time / .milliseconds(1),
                isPlayed: true
            )
            state.entries.append(entry)
            state.report.recorded += 1
            do {
                try file.write(state.entries, recordedAt: date())
            } catch {
                throw TransportError(.fileFailed, phase: .receive, message: "\(error)")
            }
        }
        return response
    }

    /// A live exchange with its whole content, which a tape needs.
    private func exchanged(_ request: TransportRequest) async throws -> (TransportResponse, Data) {
        var request = request
        if request.delivery == .discard { request.delivery = .collect }
        let response = try await live(request)
        return (response, try await response.body.collect())
    }

    private static func delivered(_ data: Data, as delivery: ResponseDelivery, _ body: ResponseBody) -> ResponseBody {
        guard case .stream = delivery else {
            if case .file = body { return body }
            return .bytes(data)
        }
        let rest = Locked<Data?>(data.isEmpty ? nil : data)
        return .stream(ResponseStream(next: { rest.withLock { $0.take() } }, cancel: {}))
    }

    private func verify(_ request: TransportRequest) async throws -> TransportResponse {
        var (response, body) = try await exchanged(request)
        response.body = Self.delivered(body, as: request.delivery, response.body)
        let (entry, error) = find(request)
        state.withLock { state in
            guard let entry else {
                state.report.unmatched.append(error.message)
                return
            }
            let live = CassetteEntry(
                request: entry.request,
                status: response.status,
                headers: response.headers,
                body: state.redactor.kept(body, type: response.headers["Content-Type"]),
                time: 0
            )
            let drift = CassetteDrift.differences(live, entry, values: options.verifiesValues)
            state.report.drift += drift.map { "\(entry.summary): \($0)" }
        }
        return response
    }
}

extension InstantProtocol where Duration == Swift.Duration {
    /// The time since this instant; the clock is the one that it came from.
    fileprivate func elapsed(on clock: any Clock<Duration>) -> Duration {
        func since<Base: Clock>(_ clock: Base) -> Duration where Base.Duration == Swift.Duration {
            (self as? Base.Instant)?.duration(to: clock.now) ?? .zero
        }
        return since(clock)
    }
}
