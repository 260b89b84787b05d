#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Loads a file, and goes on where an earlier attempt, call or process stopped.
///
/// in and to next: `TransportRequest`, next gives a `TransportResponse` with a stream, out: one with the file. Next is called
/// once for each part. A failure of any kind keeps what is there: retry, which stands outside, goes on from it.
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

    private func load(
        _ input: TransportRequest,
        _ context: RequestContext,
        into part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws -> TransportResponse {
        var restarts = 0
        var reused: Int?
        if !policy.resume.isAllowed, context.attempt == 1 {
            try await change(part, on: worker) { part throws(DownloadError) in try part.reset() }
        }
        while true {
            let held = part.withLock(\.held)
            var response = try await next.process(policy.request(input, for: held), context: context)
            try policy.refuseCoding(response)
            let before = held.size
            switch ResumeDecision(held: held, status: response.status, headers: response.headers) {
            case .pass:
                guard !(200...299).contains(response.status) else {
                    throw failure(DownloadError(.unusableResponse, "status \(response.status)"), response)
                }
                return response
            case .fail(let reason): throw failure(DownloadError(.unusableResponse, reason), response)
            case .startOver(let reason):
                guard restarts == 0 else { throw failure(DownloadError(.changedAgain, reason), response) }
                restarts += 1
                reused = 0
                context.record(.warning, id, "\(reason): starts over")
                try await change(part, on: worker) { part throws(DownloadError) in try part.reset() }
                continue
            case .write(let offset, let total):
                reused = min(reused ?? offset, offset)
                try await receive(response, at: offset, total: total, into: part, on: worker)
                let size = part.withLock(\.size)
                if let total, size < total {
                    // A server may give less than asked for, and has to give something.
                    guard size > before else {
                        throw failure(DownloadError(.sizeMismatch, "\(size) of \(total) bytes, and no more"), response)
                    }
                    continue
                }
                if total == nil, !response.isDelimited, policy.check == .size {
                    let reason = "nobody can tell whether the content is whole: compare it with a digest"
                    throw failure(DownloadError(.sizeMismatch, reason), response)
                }
                if let total, size > total {
                    try await change(part, on: worker) { part throws(DownloadError) in try part.reset() }
                    throw failure(DownloadError(.sizeMismatch, "more than \(total) bytes"), response)
                }
            case .complete: reused = reused ?? held.size
            }
            do throws(DownloadError) {
                try await check(response, part, on: worker)
            } catch {
                if error.code == .digestMismatch {
                    try await change(part, on: worker) { part throws(DownloadError) in try part.reset() }
                    // What was there before may be what is wrong.
                    if (reused ?? 0) > 0, restarts == 0 {
                        (restarts, reused) = (1, 0)
                        continue
                    }
                }
                // That everything is there was said without a digest: the whole comes with one.
                if error.code == .missingDigest, response.status == 416, restarts == 0 {
                    try await change(part, on: worker) { part throws(DownloadError) in try part.reset() }
                    (restarts, reused) = (1, 0)
                    continue
                }
                throw failure(error, response)
            }
            try await change(part, on: worker) { part throws(DownloadError) in try part.finish() }
            response.status = 200
            response.body = .file(policy.target)
            response.download = DownloadResult(size: part.withLock(\.size), reused: reused ?? 0)
            return response
        }
    }

    private func receive(
        _ response: TransportResponse,
        at offset: Int,
        total: Int?,
        into part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws {
        let validator = DownloadValidator(response.headers)
        let url = Redaction.url(response.url)
        try await change(part, on: worker) { part throws(DownloadError) in
            // A part has the validator of the whole that it was begun with.
            let known = offset > 0 ? part.sidecar?.validator : nil
            try part.begin(at: offset, url: url, validator: known ?? validator, total: total)
        }
        policy.report(received: offset, of: total)
        switch response.body {
        case .stream(let stream):
            for try await chunk in stream { try await append(chunk, total, part, on: worker) }
        case .bytes(let bytes): try await append(bytes, total, part, on: worker)
        case .file: break
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

    private func change(
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

    private func failure(_ error: DownloadError, _ response: TransportResponse?) -> NetworkError {
        let isFile = [.targetBusy, .targetIsFolder, .fileFailed].contains(error.code)
        var failure = NetworkError(
            isFile ? .fileFailed : .invalidResponse,
            "\(error)",
            stage: id,
            response: response.map { FailedResponse($0) },
            cause: error
        )
        failure.isRetryable = false
        return failure
    }
}
