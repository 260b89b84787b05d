import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Targets that are there already, and may be what the server has.
extension ResumeNode {
    private var target: String { policy.target.path(percentEncoded: false) }

    /// What is known of the target, where it is to be asked about; the caller's own conditions are the caller's.
    func current(for input: TransportRequest, on worker: FileWorker) async -> CurrentFile? {
        guard policy.refresh.asksFirst, !input.headers.contains("If-None-Match"),
            !input.headers.contains("If-Modified-Since")
        else { return nil }
        let (target, place, files) = (target, DownloadSidecar.place(of: input.url), policy.files)
        return await worker.run { CurrentFile.stored(for: target, place: place, files) }
    }

    /// The response of a target that is current; `nil` where a 304 does not speak of it, or its bytes are not those that
    /// the caller wants.
    ///
    /// A part beside it is of a state that the server does not have any more.
    func unchanged(
        _ response: TransportResponse,
        _ current: CurrentFile,
        _ part: Locked<DownloadPart>,
        on worker: FileWorker
    ) async throws -> TransportResponse? {
        let (target, files) = (target, policy.files)
        guard current.isMeant(by: response.headers) else { return nil }
        if policy.check.isCompared {
            guard let expected = try? policy.expectedDigest(response.headers),
                await worker.run({ try? DownloadPart.digest(of: target, files) }) == expected
            else { return nil }
        }
        try await reset(part, on: worker)
        var response = response
        response.status = 200
        response.body = .file(policy.target)
        response.download = DownloadResult(size: current.size, reused: current.size, isUnchanged: true)
        return response
    }

    /// Keeps what the server calls the target that has just been loaded.
    ///
    /// A failure costs the next download: what is there by then is not that of this target.
    func remember(_ response: TransportResponse, of input: TransportRequest, on worker: FileWorker) async {
        guard policy.refresh.asksFirst else { return }
        let (target, place, files) = (target, DownloadSidecar.place(of: input.url), policy.files)
        let headers = response.headers
        await worker.run {
            if let current = CurrentFile(target, headers, place: place, files) {
                try? current.store(for: target, files)
            } else {
                try? files.remove(CurrentFile.path(of: target))
            }
        }
    }
}
