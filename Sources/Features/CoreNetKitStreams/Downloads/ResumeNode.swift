import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
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
        let (target, files) = (policy.target.path(percentEncoded: false), policy.files)
        let part: Locked<DownloadPart>
        do throws(FileError) {
            part = Locked(try await worker.run { () throws(FileError) in try DownloadPart(for: target, files) })
        } catch {
            throw ResumeCall.failure(DownloadError(error), nil)
        }
        var call = ResumeCall(next: next, policy: policy, input: input, context: context, part: part, worker: worker)
        do {
            let response = try await call.load()
            await worker.run { part.withLock { $0.release() } }
            return response
        } catch {
            await worker.run { part.withLock { $0.keep() } }
            throw error
        }
    }
}

/// One call of a ``ResumeNode``, across its requests.
struct ResumeCall: Sendable {
    let next: Exchange
    let policy: DownloadPolicy
    let input: TransportRequest
    let context: RequestContext
    let part: Locked<DownloadPart>
    let worker: FileWorker
    fileprivate var restarts = 0
    /// How many bytes of earlier requests are in the file.
    fileprivate var reused: Int?

    private mutating func startOver() { (restarts, reused) = (restarts + 1, 0) }

    mutating func load() async throws -> TransportResponse {
        var current = await current()
        if !policy.resume.isAllowed, context.attempt == 1 { try await reset() }
        var (ready, isEnded) = try await loadSegments()
        if let ready, isEnded { return ready }
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
                if let unchanged = try await unchanged(response, known) { return unchanged }
                continue
            }
            let decision = ResumeDecision(held: held, status: response.status, headers: response.headers)
            if case .startOver = decision {} else { try policy.check(response, to: input) }
            if case .pass = decision {
                guard !(200...299).contains(response.status) else {
                    throw Self.failure(DownloadError(.unusableResponse, "status \(response.status)"), response)
                }
                return response
            }
            guard try await takes(response, by: decision, held), try await isRight(response) else { continue }
            return try await finished(response)
        }
    }

    /// Loads by several requests, if they are wanted; otherwise a single request continues, with the response if there is one.
    private mutating func loadSegments() async throws -> (TransportResponse?, isEnded: Bool) {
        var isAgain = false
        while policy.segments > 1 {
            do {
                let (response, held) = try await loadInSegments()
                guard let response, let held else { return (response, false) }
                reused = reused ?? held
                if try await isRight(response) { return (try await finished(response), true) }
                isAgain = false
            } catch Interruption.passed(let response) {
                try await change { part throws(FileError) in try part.sync() }
                return (response, true)
            } catch Interruption.changed {
                let reason = "the content changed while it was loaded"
                guard !isAgain else { throw Self.failure(DownloadError(.changedAgain, reason), nil) }
                context.record(.warning, Self.node, "\(reason): starts over")
                try await reset()
                isAgain = true
            }
        }
        return (nil, false)
    }

    /// Applies the decision to a response; returns whether the content is complete.
    private mutating func takes(
        _ response: TransportResponse,
        by decision: ResumeDecision,
        _ held: HeldContent
    ) async throws -> Bool {
        switch decision {
        case .pass: return false
        case .startOver(let reason):
            guard restarts == 0 else { throw Self.failure(DownloadError(.changedAgain, reason), response) }
            startOver()
            context.record(.warning, Self.node, "\(reason): starts over")
            try await reset()
            return false
        case .write(let offset, let total):
            reused = min(reused ?? offset, offset)
            try await receive(response, at: offset, total: total)
            return try await isAll(response, of: total, before: held.size)
        case .complete:
            reused = reused ?? held.size
            return true
        }
    }

    private func finished(_ response: TransportResponse) async throws -> TransportResponse {
        try await change { part throws(FileError) in try part.finish() }
        await remember(response)
        return completed(response, size: part.withLock(\.size), reused: reused ?? 0)
    }

    private func completed(
        _ response: TransportResponse,
        size: Int,
        reused: Int,
        isUnchanged: Bool = false
    ) -> TransportResponse {
        var response = response
        response.status = 200
        response.body = .file(policy.target)
        response.attributes[DownloadPolicy.self] = (size, reused, isUnchanged)
        return response
    }

    /// Whether the content is complete; `false` if the next request has to load more.
    private func isAll(_ response: TransportResponse, of total: Int?, before: Int) async throws -> Bool {
        let size = part.withLock(\.size)
        guard let total else {
            if response.isDelimited || policy.check != .size { return true }
            let reason = "the content may be incomplete: verify it with a digest"
            throw Self.failure(DownloadError(.sizeMismatch, reason), response)
        }
        if size == total { return true }
        // A server may send less than requested, but not nothing.
        if size < total, size > before { return false }
        // The next call would send the same request and get the same response.
        try await reset()
        let reason = size < total ? "\(size) of \(total) bytes, and no more" : "more than \(total) bytes"
        throw Self.failure(DownloadError(.sizeMismatch, reason), response)
    }

    /// Whether the content matches its digest; `false` if it has to be loaded again, once.
    private mutating func isRight(_ response: TransportResponse) async throws -> Bool {
        do throws(DownloadError) {
            try await verify(response)
            return true
        } catch {
            let mayStartOver =
                switch error.code {
                // The bytes from before this call may be wrong.
                case .digestMismatch: (reused ?? 0) > 0
                // A 416 confirmed the size without a digest: a complete response has one.
                case .missingDigest: response.status == 416
                default: false
                }
            let isAgain = mayStartOver && restarts == 0
            if isAgain || error.code == .digestMismatch { try await reset() }
            guard isAgain else { throw Self.failure(error, response) }
            startOver()
            return false
        }
    }

    private func verify(_ response: TransportResponse) async throws(DownloadError) {
        guard let expected = try policy.expectedDigest(response.headers) else { return }
        let found: [UInt8]
        do throws(FileError) {
            let copy = part.withLock { $0 }
            found = try await worker.run { () throws(FileError) in try copy.digest() }
        } catch {
            throw DownloadError(error)
        }
        guard found == expected else {
            throw DownloadError(.digestMismatch, "SHA-256 is \(Hex.encode(found)), expected \(Hex.encode(expected))")
        }
    }

    private func receive(_ response: TransportResponse, at offset: Int, total: Int?) async throws {
        let validator = DownloadValidator(response.headers)
        let (url, place) = (Redaction.url(response.url, by: response.secrets), place)
        try await change { part throws(FileError) in
            // A part keeps the validator of the response that started it.
            let known = offset > 0 ? part.sidecar?.validator : nil
            try part.begin(at: offset, url: url, place: place, validator: known ?? validator, total: total)
        }
        policy.report(received: offset, of: total)
        for try await chunk in ResponseStream(response: response) {
            try await change { part throws(FileError) in try part.append(chunk) }
            policy.report(received: part.withLock(\.size), of: total)
        }
    }
}

// MARK: - Shared by single and several requests

extension ResumeCall {
    static let node: NodeID = "ResumeNode"

    var place: String { DownloadSidecar.resourceHash(of: input.url) }

    func reset() async throws { try await change { part throws(FileError) in try part.reset() } }

    func change(_ body: @Sendable (inout DownloadPart) throws(FileError) -> Void) async throws {
        do throws(FileError) {
            try await worker.run { [part] () throws(FileError) in
                try part.withLock { (part) throws(FileError) in try body(&part) }
            }
        } catch {
            throw Self.failure(DownloadError(error), nil)
        }
    }

    static func failure(_ error: DownloadError, _ response: TransportResponse?) -> NetworkError {
        let isFile = [.targetBusy, .targetIsFolder, .fileFailed].contains(error.code)
        var failure = NetworkError(
            isFile ? .fileFailed : .invalidResponse,
            "\(error)",
            node: node,
            response: response.map { FailedResponse($0) },
            cause: error
        )
        failure.isRetryable = false
        return failure
    }
}

// MARK: - Existing targets that may be current

extension ResumeCall {
    /// The stored description of the target, if a conditional request may be sent; conditions of the caller take precedence.
    private func current() async -> CurrentFile? {
        guard policy.refresh.revalidatesFirst, !input.headers.contains("If-None-Match"),
            !input.headers.contains("If-Modified-Since")
        else { return nil }
        let (target, place, files) = (part.withLock(\.target), place, policy.files)
        return await worker.run { CurrentFile.stored(for: target, place: place, files) }
    }

    /// The response for a target that is current; `nil` if the 304 does not confirm it, or its bytes do not have the
    /// digest that the caller expects.
    private func unchanged(_ response: TransportResponse, _ current: CurrentFile) async throws -> TransportResponse? {
        let (target, files) = (part.withLock(\.target), policy.files)
        guard current.isMeant(by: response.headers) else { return nil }
        if policy.check != .size {
            guard let expected = try? policy.expectedDigest(response.headers),
                await worker.run({ try? DownloadPart.digest(of: target, files) }) == expected
            else { return nil }
        }
        // An incomplete part beside it is outdated.
        try await reset()
        return completed(response, size: current.size, reused: current.size, isUnchanged: true)
    }

    /// Stores the validators of the target that was just loaded; if that fails, the next call downloads again.
    private func remember(_ response: TransportResponse) async {
        guard policy.refresh.revalidatesFirst else { return }
        let (target, place, files) = (part.withLock(\.target), place, policy.files)
        let headers = response.headers
        await worker.run {
            if let current = CurrentFile(target, headers, place: place, files) {
                try? files.store(current, at: CurrentFile.path(of: target))
            } else {
                try? files.remove(CurrentFile.path(of: target))
            }
        }
    }
}
