import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Existing targets that may be current.
extension ResumeNode {
    private var target: String { policy.target.path(percentEncoded: false) }

    /// The stored description of the target, if a conditional request may be sent; conditions of the caller take precedence.
    func current(for input: TransportRequest, on worker: FileWorker) async -> CurrentFile? {
        guard policy.refresh.revalidatesFirst, !input.headers.contains("If-None-Match"),
            !input.headers.contains("If-Modified-Since")
        else { return nil }
        let (target, place, files) = (target, DownloadSidecar.resourceHash(of: input.url), policy.files)
        return await worker.run { CurrentFile.stored(for: target, place: place, files) }
    }

    /// The response for a target that is current; `nil` if the 304 does not confirm it, or its bytes do not have the digest
    /// that the caller expects.
    ///
    /// An incomplete part beside it is outdated and is deleted.
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

    /// Stores the validators of the target that was just loaded.
    ///
    /// If this fails, the next call downloads again: an older description does not match the new file.
    func remember(_ response: TransportResponse, of input: TransportRequest, on worker: FileWorker) async {
        guard policy.refresh.revalidatesFirst else { return }
        let (target, place, files) = (target, DownloadSidecar.resourceHash(of: input.url), policy.files)
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
