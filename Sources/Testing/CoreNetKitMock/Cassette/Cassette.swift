import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
package import CoreNetKitSystem

/// A transport that plays recorded exchanges, records new ones, or compares both.
///
/// The tape is an HTTP archive: it opens in a browser's developer tools, and an archive saved by a browser is a tape. Secrets
/// are replaced by numbered placeholders while recording, and in requests before they are compared.
///
/// ```swift
/// let tape = try Cassette(file)
/// let client = Client(transport: tape)
/// …
/// #expect(tape.report.isClean)
/// ```
///
/// Equal requests get their responses in the order of the tape, each once; different concurrent requests do not affect
/// each other. A cassette replaces the wire: each redirect and each retry is a separate exchange.
public final class Cassette: Transport {
    /// Whether a cassette plays or records.
    public enum Mode: Sendable, Hashable {
        /// Plays; never uses the network.
        case replay
        /// Records if there is no tape yet, else plays.
        case recordOnce
        /// Records everything again.
        case rewrite
        /// Plays existing entries and records new ones.
        case append
        /// Neither plays nor records.
        case live
        /// Uses the network, and reports differences from the tape.
        case verify
    }

    /// Further options.
    public struct Options: Sendable {
        /// Whether the last of equal entries is replayed when all were used; otherwise another request is an error.
        public var repeatsLast = false
        /// Whether responses with status 500 or above are recorded, which are accidental in most recordings.
        public var recordsFailures = false
        /// The age of a tape above which the report mentions it.
        public var warningAge: Duration? = .seconds(90 * 86_400)
        /// The age of a tape above which it is refused.
        public var maximumAge: Duration?
        /// Whether a response takes as long as it took during recording.
        public var replaysLatency = false
        /// Whether ``Mode/verify`` compares the values of JSON, not only its shape.
        public var verifiesValues = false
        /// The rules for secrets, in addition to those of the request's client.
        public var secretRules = SecretRules.standard

        /// Creates the usual options.
        public init() {}
    }

    struct State {
        var tape: CassetteTape
        let writer: CassetteWriter
        var isPlaying: Bool
        /// The size of the file when it was read.
        var size = 0
        /// Whether entries can be appended to the file.
        var isAppendable = false
    }

    /// Whether the cassette plays or records.
    public let mode: Mode
    private let options: Options
    private let transport: (any Transport)?
    private let clock: CallClock
    private let date: @Sendable () -> Date
    let state: Locked<State>

    /// Opens a tape.
    ///
    /// - Parameters:
    ///   - url: The file of the tape.
    ///   - mode: Whether the cassette plays or records.
    ///   - match: The parts of requests that must be equal.
    ///   - transport: The transport for live exchanges, in all modes but ``Mode/replay``.
    ///   - options: Further options.
    ///   - clock: The clock for recorded latency.
    ///   - date: The time of day.
    /// - Throws: ``CassetteError`` for a tape that is missing, too old or invalid, and for a mode without its
    ///   transport.
    public convenience init(
        _ url: URL,
        mode: Mode = .replay,
        match: [CassetteMatch] = .standard,
        live transport: (any Transport)? = nil,
        options: Options = Options(),
        clock: any Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) throws(CassetteError) {
        try self.init(
            url,
            mode: mode,
            match: match,
            live: transport,
            options: options,
            clock: clock,
            date: date,
            files: PosixFiles()
        )
    }

    /// The same with a custom file system for recordings.
    package init(
        _ url: URL,
        mode: Mode,
        match: [CassetteMatch] = .standard,
        live transport: (any Transport)?,
        options: Options = Options(),
        clock: any Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        files: any FileOperations
    ) throws(CassetteError) {
        let file = CassetteFile(url: url)
        var state = State(
            tape: CassetteTape(matches: match, options: options),
            writer: CassetteWriter(file, files, recordedAt: date()),
            isPlaying: mode == .replay || mode == .append || mode == .recordOnce && file.exists
        )
        let reads = mode != .live && mode != .rewrite && (file.exists || mode == .replay || mode == .verify)
        if reads {
            let content = try file.read()
            state.tape.load(content)
            state.size = content.size
            state.isAppendable = content.redactionVersion == SecretRules.version && state.writer.canAppend()
            let age = content.recordedAt.map { date().duration(since: $0) }
            if let age, let limit = options.maximumAge, age > limit {
                throw CassetteError(code: .tooOld, message: "\(url.path) is \(age) old; record it again")
            }
            if let age, let limit = options.warningAge, age > limit { state.tape.report.age = age }
        }
        if mode != .replay, transport == nil, !(mode == .recordOnce && file.exists) {
            throw CassetteError(code: .noTransport, message: "mode \(mode) needs a transport for live exchanges")
        }
        (self.mode, self.options, self.transport, self.date) = (mode, options, transport, date)
        (self.clock, self.state) = (CallClock(clock), Locked(state))
    }

    /// The capabilities of the live transport, or all that a tape can replay.
    public var capabilities: TransportCapabilities {
        transport?.capabilities
            ?? [.phaseTimeouts, .streamingUpload, .streamingDownload, .exactHeaders, .bodyOnAnyMethod, .duplex]
    }

    /// The results so far; check them at the end of a test.
    public var report: CassetteReport {
        state.withLock { state in
            var report = state.tape.report
            if state.isPlaying { report.unused = state.tape.entries.filter { !$0.isPlayed }.map(\.summary) }
            return report
        }
    }

    /// The identity of the live transport; without one, unknown.
    public func clientIdentity(for url: URL) -> String? { transport.map { $0.clientIdentity(for: url) } ?? "" }

    /// Plays, records or compares, depending on the mode; the content of the request is read to the end before.
    ///
    /// - Throws: `TransportError` with the nearest entry and the differences if the request is not on the tape, or an
    ///   error of the live transport.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        switch mode {
        case .live: return try await sendLive(request)
        case .verify: return try await observeLive(request) { try self.compare($0, for: request) }
        case .rewrite: return try await recordLive(request)
        case .replay, .recordOnce, .append: break
        }
        guard state.withLock({ $0.isPlaying }) else { return try await recordLive(request) }
        var request = request
        let body = try await CassetteCopy.collect(request.body)
        if !request.body.isReplayable { request.body = .bytes(body) }
        let sent = CassetteRequest(request, body)
        let (entry, mismatch) = state.withLock {
            $0.tape.find(sent, by: request.secrets, isMissReported: mode != .append)
        }
        if let entry { return try await play(entry, for: request) }
        if transport != nil, mode == .append { return try await recordLive(request) }
        throw TransportError.unscripted(mismatch)
    }

    // MARK: - Playing

    private func play(_ entry: CassetteEntry, for request: TransportRequest) async throws -> TransportResponse {
        if options.replaysLatency {
            try await clock.sleep(until: clock.time(after: .microseconds(Int64(min(entry.time, 3_600_000) * 1000))))
        }
        if request.delivery == .duplex, entry.status == 101 { return try playSocket(entry, for: request) }
        if case .missing(let size) = entry.extent {
            throw TransportError.unscripted(
                "the tape has no content for \(entry.summary), which had \(size) bytes; record it again"
            )
        }
        var reply = MockResponse.data(entry.body, status: entry.status)
        reply.headers = entry.headers
        if entry.extent == .truncated {
            let read = "\(entry.body.count) bytes were read while recording"
            let message = "the tape of \(entry.summary) ends here: \(read)"
            reply.ending = .failure(TransportError(.connectionLost, phase: .receive, message: message))
        }
        let content = MockContent(reply) {}
        let head = TransportResponse(status: entry.status, headers: entry.headers, url: request.url)
        return try await content.deliver(as: request.delivery, after: head) {
            ResponseStream(next: { try await content.next() }, cancel: {})
        }
    }

    // MARK: - Live

    private func sendLive(_ request: TransportRequest) async throws -> TransportResponse {
        guard let transport else { throw TransportError.unscripted("the tape has no transport for live exchanges") }
        return try await transport.send(request)
    }

    /// Performs a live exchange with the requested delivery; its entry is reported when the response has been read.
    private func observeLive(
        _ request: TransportRequest,
        _ ended: @escaping @Sendable (CassetteEntry) throws -> Void
    ) async throws -> TransportResponse {
        let start = clock.now
        let position = state.withLock { $0.tape.takePosition() }
        let sent = CassetteCopy()
        var copied = request
        copied.body = try sent.body(request.body)
        if copied.delivery == .discard { copied.delivery = .collect }
        // Messages are recorded uncompressed.
        if copied.delivery == .duplex { copied.headers.remove("Sec-WebSocket-Extensions") }
        var response = try await sendLive(copied)
        let (status, headers, clock) = (response.status, response.headers, clock)
        let end: @Sendable (Data, Bool, [CassetteMessage]?) throws -> Void = { body, isWhole, messages in
            let entry = CassetteEntry(
                request: CassetteRequest(request, sent.data),
                status: status,
                headers: headers,
                body: body,
                extent: isWhole ? .whole : .truncated,
                time: (clock.now - start) / .milliseconds(1),
                position: position,
                messages: messages,
                isPlayed: true
            )
            try ended(entry)
        }
        // The report of the tape lists failures to record.
        switch response.body {
        case .duplex(let duplex):
            response.body = .duplex(CassetteConversation().recording(duplex) { try? end(Data(), true, $0) })
        case .stream(let stream): response.body = .stream(CassetteCopy.stream(stream) { try end($0, $1, nil) })
        case .bytes, .file:
            let body = try await response.body.collect(limit: .max)
            try end(body, response.contentFailure == nil, nil)
            if request.delivery == .discard, 200...299 ~= status { response.body = .bytes(Data()) }
        }
        return response
    }

    private func recordLive(_ request: TransportRequest) async throws -> TransportResponse {
        try await observeLive(request) { entry in
            guard entry.status < 500 || self.options.recordsFailures else {
                let line = "\(request.method) \(Redaction.url(request.url)): \(entry.status)"
                return self.state.withLock { $0.tape.report.notRecorded.append(line) }
            }
            try self.state.withLock { try self.record(entry, by: request.secrets, &$0) }
        }
    }

    private func record(_ entry: CassetteEntry, by rules: SecretRules, _ state: inout State) throws {
        let entry = state.tape.redacted(entry, by: rules)
        do {
            if !state.writer.isOpen {
                let entries = state.isAppendable ? nil : state.tape.entries
                let size = mode == .rewrite ? nil : state.size
                try state.writer.open(with: entries, size: size, recordedAt: date())
            }
            try state.writer.append(entry)
        } catch {
            state.tape.report.notRecorded.append("\(entry.summary): \(error)")
            throw TransportError(.fileFailed, phase: .receive, message: "\(error)")
        }
        state.tape.add(entry)
        state.tape.report.recorded += 1
    }

    private func compare(_ live: CassetteEntry, for request: TransportRequest) throws {
        state.withLock { state in
            let (entry, _) = state.tape.find(live.request, by: request.secrets, isMissReported: true)
            guard let entry else { return }
            let shown = state.tape.redacted(live, by: request.secrets)
            let drift = shown.drift(from: entry, comparesValues: options.verifiesValues)
            state.tape.report.drift += drift.map { "\(entry.summary): \($0)" }
        }
    }
}

extension CassetteRequest {
    fileprivate init(_ request: TransportRequest, _ body: Data) {
        self.init(
            method: request.method.rawValue,
            url: request.url.absoluteString,
            headers: request.headers,
            body: body
        )
    }
}
