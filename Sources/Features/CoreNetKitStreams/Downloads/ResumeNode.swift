import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Loads a file, and resumes an earlier attempt, call or process.
///
/// in and to next: `TransportRequest`, next returns a `TransportResponse` with a stream, out: one with the file. Next is
/// called once for each part. Any failure keeps what was loaded: retry, which is outside, resumes from it.
struct ResumeNode: PolicyNode {
    static let position = ChainPosition.resume

    let next: Exchange
    let policy: DownloadPolicy

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        let worker = FileWorker("download")
        let files = policy.files
        let target = policy.target.path(percentEncoded: false)
        let part = try await mapping {
            Locked(try await worker.run { () throws(DownloadError) in try DownloadPart(for: target, files) })
        }
        do {
            let response = try await load(input, context, into: part, on: worker)
            await worker.run { part.withLock { $0.leave() } }
            return response
        } catch {
            await worker.run { part.withLock { $0.keep() } }
            throw error
        }
    }

    /// The state of one call, across its requests.
    struct CallState {
        var restarts = 0
        /// How many bytes of earlier requests are in the file.
        var reused: Int?

        mutating func startOver() { (restarts, reused) = (restarts + 1, 0) }
    }

    private func load(
        _ input: TransportRequest,
        _ context: RequestContext,
        into part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws -> TransportResponse {
        var state = CallState()
        var current = await current(for: input, on: worker)
        if !policy.resume.isAllowed, context.attempt == 1 { try await reset(part, on: worker) }
        var ready: TransportResponse?
        switch try await loadSegments(input, context, &state, into: part, on: worker) {
        case .ended(let response): return response
        case .open(let response): ready = response
        }
        while true {
            // A server that ignored `Range` sent everything: start at offset 0.
            let held = ready == nil ? part.withLock { policy.held($0, for: input) } : HeldContent()
            let response: TransportResponse
            if let whole = ready.take() {
                response = whole
            } else {
                let request = policy.request(input, for: held, unless: current)
                response = try await next.process(request, context: context)
            }
            if response.status == 304, let known = current.take() {
                if let unchanged = try await unchanged(response, known, part, on: worker) { return unchanged }
                continue
            }
            let decision = ResumeDecision(held: held, status: response.status, headers: response.headers)
            if case .startOver = decision {} else { try policy.check(response, to: input) }
            if case .pass = decision { return try passed(response) }
            guard try await takes(response, by: decision, held, of: input, context, &state, into: part, on: worker),
                try await isRight(response, &state, part, on: worker)
            else { continue }
            return try await finished(response, of: input, reused: state.reused ?? 0, part, on: worker)
        }
    }

    /// The outcome of the segmented requests.
    private enum SegmentsResult {
        case ended(TransportResponse)
        /// A single request continues, with this response if there is one.
        case open(TransportResponse?)
    }

    private func loadSegments(
        _ input: TransportRequest,
        _ context: RequestContext,
        _ state: inout CallState,
        into part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws -> SegmentsResult {
        while policy.segments > 1 {
            switch try await loadInSegments(input, context, into: part, on: worker) {
            case .plain(let response): return .open(response)
            case .passed(let response): return .ended(response)
            case .whole(let response, let reused):
                state.reused = state.reused ?? reused
                guard try await isRight(response, &state, part, on: worker) else { continue }
                return .ended(try await finished(response, of: input, reused: state.reused ?? 0, part, on: worker))
            }
        }
        return .open(nil)
    }

    /// Passes on a response that is not the download's business, unless it claims to be a success.
    private func passed(_ response: TransportResponse) throws -> TransportResponse {
        guard !(200...299).contains(response.status) else {
            throw failure(DownloadError(.unusableResponse, "status \(response.status)"), response)
        }
        return response
    }

    /// Applies the decision to a response; returns whether the content is complete.
    private func takes(
        _ response: TransportResponse,
        by decision: ResumeDecision,
        _ held: HeldContent,
        of input: TransportRequest,
        _ context: RequestContext,
        _ state: inout CallState,
        into part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws -> Bool {
        switch decision {
        case .pass: return false
        case .startOver(let reason):
            guard state.restarts == 0 else { throw failure(DownloadError(.changedAgain, reason), response) }
            state.startOver()
            context.record(.warning, id, "\(reason): starts over")
            try await reset(part, on: worker)
            return false
        case .write(let offset, let total):
            state.reused = min(state.reused ?? offset, offset)
            try await receive(response, at: offset, total: total, of: input.url, into: part, on: worker)
            return try await isAll(response, of: total, before: held.size, part, on: worker)
        case .complete:
            state.reused = state.reused ?? held.size
            return true
        }
    }

    /// Renames the part to the target.
    private func finished(
        _ response: TransportResponse,
        of input: TransportRequest,
        reused: Int,
        _ part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws -> TransportResponse {
        try await change(part, on: worker) { part throws(DownloadError) in try part.finish() }
        await remember(response, of: input, on: worker)
        var response = response
        response.status = 200
        response.body = .file(policy.target)
        response.download = DownloadResult(size: part.withLock(\.size), reused: reused)
        return response
    }

    /// Whether the content is complete; `false` if the next request has to load more.
    private func isAll(
        _ response: TransportResponse,
        of total: Int?,
        before: Int,
        _ part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws -> Bool {
        let size = part.withLock(\.size)
        guard let total else {
            if response.isDelimited || policy.check != .size { return true }
            let reason = "the content may be incomplete: verify it with a digest"
            throw failure(DownloadError(.sizeMismatch, reason), response)
        }
        if size < total {
            // A server may send less than requested, but not nothing.
            if size > before { return false }
            // The next call would send the same request and get the same response.
            try await reset(part, on: worker)
            throw failure(DownloadError(.sizeMismatch, "\(size) of \(total) bytes, and no more"), response)
        }
        if size > total {
            try await reset(part, on: worker)
            throw failure(DownloadError(.sizeMismatch, "more than \(total) bytes"), response)
        }
        return true
    }

    /// Whether the content matches its digest; `false` if it has to be loaded again, once.
    func isRight(
        _ response: TransportResponse,
        _ state: inout CallState,
        _ part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws -> Bool {
        do throws(DownloadError) {
            try await check(response, part, on: worker)
            return true
        } catch {
            let mayStartOver =
                switch error.code {
                // The bytes from before this call may be wrong.
                case .digestMismatch: (state.reused ?? 0) > 0
                // A 416 confirmed the size without a digest: a complete response has one.
                case .missingDigest: response.status == 416
                default: false
                }
            let isAgain = mayStartOver && state.restarts == 0
            if isAgain || error.code == .digestMismatch { try await reset(part, on: worker) }
            guard isAgain else { throw failure(error, response) }
            state.startOver()
            return false
        }
    }

    func reset(_ part: Locked<DownloadPart>, on worker: FileWorker) async throws {
        try await change(part, on: worker) { part throws(DownloadError) in try part.reset() }
    }

    private func receive(
        _ response: TransportResponse,
        at offset: Int,
        total: Int?,
        of asked: URL,
        into part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws {
        let validator = DownloadValidator(response.headers)
        let url = Redaction.url(response.url, by: response.secrets)
        let place = DownloadSidecar.resourceHash(of: asked)
        try await change(part, on: worker) { part throws(DownloadError) in
            // A part keeps the validator of the response that started it.
            let known = offset > 0 ? part.sidecar?.validator : nil
            try part.begin(at: offset, url: url, place: place, validator: known ?? validator, total: total)
        }
        policy.report(received: offset, of: total)
        switch response.body {
        case .stream(let stream):
            for try await chunk in stream { try await append(chunk, total, part, on: worker) }
        case .bytes(let bytes): try await append(bytes, total, part, on: worker)
        case .file, .duplex: break
        }
    }

    private func append(
        _ chunk: Data,
        _ total: Int?,
        _ part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws {
        try await change(part, on: worker) { part throws(DownloadError) in try part.append(chunk) }
        policy.report(received: part.withLock(\.size), of: total)
    }

    private func check(
        _ response: TransportResponse,
        _ part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws(DownloadError) {
        guard let expected = try policy.expectedDigest(response.headers) else { return }
        let found = try await worker.run { () throws(DownloadError) in
            let copy = part.withLock { $0 }
            return try copy.digest()
        }
        guard found == expected else {
            throw DownloadError(.digestMismatch, "SHA-256 is \(Hex.encode(found)), expected \(Hex.encode(expected))")
        }
    }

    func change(
        _ part: Locked<DownloadPart>,
        on worker: FileWorker,
        _ body: @Sendable (inout DownloadPart) throws(DownloadError) -> Void
    ) async throws {
        try await mapping {
            try await worker.run { () throws(DownloadError) in
                try part.withLock { (part) throws(DownloadError) in try body(&part) }
            }
        }
    }

    private func mapping<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as DownloadError {
            throw failure(error, nil)
        }
    }

    func failure(_ error: DownloadError, _ response: TransportResponse?) -> NetworkError {
        let isFile = [.targetBusy, .targetIsFolder, .fileFailed].contains(error.code)
        var failure = NetworkError(
            isFile ? .fileFailed : .invalidResponse,
            "\(error)",
            node: id,
            response: response.map { FailedResponse($0) },
            cause: error
        )
        failure.isRetryable = false
        return failure
    }
}
