#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem

/// Sends a file, request by request, until the server has all of it.
struct Uploader: Sendable {
    static let stage: NodeID = "UploadsNode"

    let file: URL
    let method: UploadMethod
    let creation: HTTPMethod
    let journal: URL?
    let progress: TransferMonitor?
    let files: any FileOperations
    let clock: CallClock
    let random: Jitter
    /// Performs a step; a broken exchange throws.
    let call: @Sendable (UploadStep, RequestBody, ExchangeMonitor) async throws -> UploadPayload

    private var path: String { file.path(percentEncoded: false) }
    private var journalPath: String? { journal?.path(percentEncoded: false) }

    func run() async throws -> Upload {
        defer { progress?.update { $0.isFinished = true } }
        let worker = FileWorker("upload")
        let (path, journalPath, files) = (path, journalPath, files)
        let status: FileStatus
        do throws(FileError) {
            guard let found = try await worker.run({ () throws(FileError) in try files.status(of: path) }) else {
                throw FileError(.open, path, 2)
            }
            status = found
        } catch {
            throw failure(UploadError(.fileFailed, error.description), nil)
        }
        let known = await worker.run {
            journalPath.flatMap { UploadJournal.read($0, size: status.size, modified: status.modified, files) }
        }
        var stepper = UploadStepper(
            method,
            size: status.size,
            creation: creation,
            location: known.flatMap { URL(string: $0.location) }
        )
        var stored = stepper.location
        var reused: Int?
        var last: UploadPayload?
        var failures = 0
        while let step = stepper.step {
            let monitor = ExchangeMonitor()
            do {
                let payload = try await perform(step, monitor, total: status.size)
                last = payload
                do throws(UploadError) { try stepper.accept(payload.answer, to: step) } catch {
                    throw failure(error, payload)
                }
                if step.purpose == .ask, reused == nil { reused = stepper.offset }
                failures = payload.answer.status < 300 ? 0 : failures + 1
            } catch let error as NetworkError where error.cause is UploadError {
                throw error
            } catch let error as CancellationError {
                throw error
            } catch {
                guard let lost = NetworkError.wrapping(error, stage: Self.stage), lost.isRetryable else { throw error }
                failures += 1
                do throws(UploadError) { try stepper.broke(monitor.state.interim, base: step.url) } catch {
                    throw failure(error, last, cause: lost)
                }
            }
            if let place = stepper.location, place != stored, let journalPath {
                let entry = UploadJournal(
                    location: place.absoluteString,
                    size: status.size,
                    modified: status.modified
                )
                do throws(FileError) {
                    try await worker.run { () throws(FileError) in try entry.store(journalPath, files) }
                } catch {
                    throw failure(UploadError(.fileFailed, error.description), last)
                }
                stored = place
            }
            if failures > 0, !stepper.isDone {
                let wait = EventReconnection.standard.wait(
                    failures: failures - 1,
                    retry: nil,
                    retryAfter: nil,
                    random: random.next()
                )
                try await clock.sleep(until: clock.now + wait)
            }
        }
        if let journalPath { await worker.run { try? files.remove(journalPath) } }
        return Upload(
            location: stepper.location.map { place in
                URL(string: place.relativeString, relativeTo: last?.answer.url)?.absoluteURL ?? place
            },
            status: last?.answer.status ?? 0,
            headers: last?.answer.headers ?? [:],
            body: last?.body ?? Data(),
            reused: reused ?? 0
        )
    }

    private func perform(_ step: UploadStep, _ monitor: ExchangeMonitor, total: Int) async throws -> UploadPayload {
        let body = FileSlice(path: path, range: step.body, files: files).body
        guard let progress, !step.body.isEmpty else { return try await call(step, body, monitor) }
        let start = Int64(step.body.lowerBound)
        let forwarding = Task {
            for await state in monitor.updates {
                progress.update { ($0.sent, $0.sentTotal) = (start + state.bytesSent, Int64(total)) }
            }
        }
        defer { forwarding.cancel() }
        return try await call(step, body, monitor)
    }

    private func failure(_ error: UploadError, _ payload: UploadPayload?, cause: NetworkError? = nil) -> NetworkError {
        let response = payload.map { payload in
            FailedResponse(
                status: payload.answer.status,
                headers: payload.answer.headers,
                body: payload.body,
                url: payload.answer.url
            )
        }
        let code: NetworkError.Code =
            switch error.code {
            case .refused: NetworkError.Code(status: payload?.answer.status ?? 0)
            case .fileFailed, .fileChanged: .requestBodyFailed
            case .stuck: cause?.code ?? .connectionLost
            default: .invalidResponse
            }
        var failure = NetworkError(code, "\(error)", stage: Self.stage, response: response, cause: error)
        if let cause { failure.history = [cause] }
        return failure
    }
}
