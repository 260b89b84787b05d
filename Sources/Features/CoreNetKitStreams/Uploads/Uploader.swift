import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem

/// Sends a file, bytes or a stream, request by request, until the server has everything.
struct Uploader: Sendable {
    static let node: NodeID = "UploadsNode"
    static let longestRetryAfter = Duration.seconds(3600)

    let content: RequestBody
    let method: UploadMethod
    let creation: HTTPMethod
    let journal: URL?
    let progress: TransferMonitor?
    private let files = PosixFiles()
    let parts: ChainParts
    /// The URL of the request that creates the upload.
    let route: URL
    let partition: Partition
    /// Performs a step; a broken exchange throws.
    let call: @Sendable (UploadStep, RequestBody, ExchangeMonitor) async throws -> UploadReply

    private var journalPath: String? { journal?.path(percentEncoded: false) }

    private struct State {
        var stepper: UploadStepper
        var content: UploadContent
        /// How many bytes the server already had.
        var reused: Int?
        var last: UploadReply?
        var failures = 0
        var failure: NetworkError?
        /// The wait that the server asked for.
        var asked: Duration?
        /// The number of token renewals since bytes were last accepted.
        var renewals = 0
    }

    func run() async throws -> Upload {
        if let name = method.malformedName {
            let reason = "the name '\(name)' of the metadata: visible ASCII characters without commas are allowed"
            throw NetworkError(.invalidRequest, reason, node: Self.node)
        }
        progress?.begin()
        parts.retryBudget.deposit(at: parts.clock.now)
        let upload = try await send()
        progress?.end(succeeded: true)
        return upload
    }

    private func send() async throws -> Upload {
        let worker = FileWorker("upload")
        let (journalPath, files) = (journalPath, files)
        let content: UploadContent
        do throws(UploadError) { content = try await UploadContent(self.content, files, on: worker) } catch {
            throw failure(error, nil)
        }
        let (method, size, identity) = (content.limited(method), content.size, content.identity)
        let first = UploadStepper(method, size: size, creation: creation)
        let fingerprint = UploadCheckpoint.fingerprint(first.step, route, partition)
        let known = await worker.run {
            journalPath.flatMap { UploadCheckpoint.read($0, fingerprint: fingerprint, files) }
        }
        let location = known.flatMap { $0.file == identity ? URL(string: $0.location) : nil }
        var state = State(
            stepper: UploadStepper(method, size: size, creation: creation, location: location),
            content: content
        )
        var stored = state.stepper.location
        while let step = try await next(of: &state) {
            try await take(step, &state)
            if let place = state.stepper.location, let identity, place != stored {
                let entry = UploadCheckpoint(location: place.absoluteString, file: identity, fingerprint: fingerprint)
                try await store(entry, state.last, on: worker)
                stored = place
            }
            if state.failures > 0, !state.stepper.isDone { try await pause(after: state) }
        }
        if let journalPath { await worker.run { try? files.remove(journalPath) } }
        let last = state.last?.response
        return Upload(
            location: state.stepper.location.map { place in
                URL(string: place.relativeString, relativeTo: last?.url)?.absoluteURL ?? place
            },
            status: last?.status ?? 0,
            headers: last?.headers ?? [:],
            body: last?.body ?? Data(),
            reused: state.reused ?? 0
        )
    }

    /// The next request; a stream of unknown length is read as far as the request needs, because it may end there.
    private func next(of state: inout State) async throws -> UploadStep? {
        if let range = state.stepper.unread {
            do {
                try await state.content.probeEnd(after: range)
                if let size = state.content.size { try state.stepper.learn(size) }
            } catch {
                throw unreadable(error, state.last)
            }
        }
        return state.stepper.step
    }

    private func take(_ step: UploadStep, _ state: inout State) async throws {
        let monitor = ExchangeMonitor()
        state.asked = nil
        do {
            let reply = try await perform(step, monitor, &state.content)
            state.last = reply
            // After a token renewal the server is asked for its offset before anything is sent again; once.
            let isRenewed = reply.isRenewed && state.renewals == 0
            let isAccepted = reply.response.status < 300
            state.renewals = isRenewed ? 1 : isAccepted && !step.body.isEmpty ? 0 : state.renewals
            do throws(UploadError) {
                if isRenewed { return try state.stepper.exchangeFailed(reply.interim, base: step.url) }
                try state.stepper.accept(reply, to: step)
            } catch {
                throw failure(error, reply)
            }
            if step.purpose == .queryOffset, state.reused == nil { state.reused = state.stepper.offset }
            state.failures = isAccepted ? 0 : state.failures + 1
            if state.failures > 0 {
                state.asked = RetryAfter.wait(of: reply.response.headers, now: parts.date)
                state.failure = failure(UploadError(.refused, "status \(reply.response.status)"), reply)
            }
        } catch let error as NetworkError where error.cause is UploadError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            guard let lost = NetworkError.wrapping(error, node: Self.node), lost.isRetryable else { throw error }
            state.failures += 1
            state.failure = lost
            // The head of a success may have arrived without its content.
            let head = lost.refusal == nil ? lost.response : nil
            do throws(UploadError) {
                try state.stepper.exchangeFailed(monitor.state.interim, head?.headers, base: head?.url ?? step.url)
            } catch {
                throw failure(error, state.last, cause: lost)
            }
        }
    }

    /// Stores the upload URL for the next start of the program.
    private func store(_ entry: UploadCheckpoint, _ last: UploadReply?, on worker: FileWorker) async throws {
        guard let journalPath else { return }
        let files = files
        do throws(FileError) {
            try await worker.run { () throws(FileError) in try files.store(entry, at: journalPath) }
        } catch {
            throw failure(UploadError(.fileFailed, error.description), last)
        }
    }

    private func pause(after state: State) async throws {
        let (asked, random) = (state.asked.map { min($0, Self.longestRetryAfter) }, parts.random.next())
        let failures = state.failures - 1
        let wait = EventReconnection.standard.wait(failures: failures, retry: nil, retryAfter: asked, random: random)
        let (now, end) = (parts.clock.now, parts.clock.time(after: wait))
        if var failure = state.failure, !parts.retryBudget.withdraw(at: now, for: end) {
            failure.message += "; not tried again: the retry budget is used up"
            throw failure
        }
        try await parts.clock.sleep(until: end)
    }

    private func perform(_ step: UploadStep, _ monitor: ExchangeMonitor, _ content: inout UploadContent) async throws
        -> UploadReply
    {
        var step = step
        var body: RequestBody
        let file: FileSlice?
        do {
            (body, file) = try await content.slice(step.body)
            if let checksum = method.checksum, step.purpose == .append {
                let bytes = if let file, body.data == nil { try await file.read() } else { body.data ?? Data() }
                body = .bytes(bytes)
                step.headers["Upload-Checksum"] = checksum.field(bytes)
            }
        } catch {
            throw unreadable(error, nil)
        }
        let outcome: Result<UploadReply, any Error>
        do {
            outcome = .success(try await send(step, body, monitor, total: content.size))
        } catch {
            outcome = .failure(error)
        }
        // The transport would only report a failed body, and a server may have responded before that.
        if file?.hasChanged.withLock({ $0 }) == true {
            throw failure(UploadError(.fileChanged, "the file was changed after its upload began"), nil)
        }
        return try outcome.get()
    }

    private func send(
        _ step: UploadStep,
        _ body: RequestBody,
        _ monitor: ExchangeMonitor,
        total: Int?
    ) async throws -> UploadReply {
        guard let progress, !step.body.isEmpty else { return try await call(step, body, monitor) }
        let start = Int64(step.body.lowerBound)
        let forwarding = Task {
            for await state in monitor.updates {
                progress.update { ($0.sent, $0.sentTotal) = (start + state.bytesSent, total.map(Int64.init)) }
            }
        }
        defer { forwarding.cancel() }
        return try await call(step, body, monitor)
    }

    private func unreadable(_ error: any Error, _ reply: UploadReply?) -> any Error {
        if let error = error as? UploadError { return failure(error, reply) }
        if error is CancellationError { return error }
        return NetworkError(.requestBodyFailed, "the content cannot be read", node: Self.node, cause: error)
    }

    private func failure(_ error: UploadError, _ reply: UploadReply?, cause: NetworkError? = nil) -> NetworkError {
        let response = reply?.response
        let code: NetworkError.Code =
            switch error.code {
            case .refused: NetworkError.Code(status: response?.status ?? 0)
            case .fileFailed, .fileChanged, .unusableContent: .requestBodyFailed
            case .stuck: cause?.code ?? .connectionLost
            default: .invalidResponse
            }
        var failure = NetworkError(code, "\(error)", node: Self.node, response: response, cause: error)
        if let cause { failure.history = [cause] }
        return failure
    }
}
