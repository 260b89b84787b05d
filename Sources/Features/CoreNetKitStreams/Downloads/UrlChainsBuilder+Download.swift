public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitEssentials

extension UrlChainsBuilder {
    /// Builds a chain that downloads to a file and resumes an earlier attempt.
    ///
    /// Until the content is complete and verified it is in `<name>.part` beside the target, with `<name>.part.json`; then it
    /// replaces the target atomically. To pause, cancel the call. Only one download writes to a target, across all
    /// processes; its folder must exist. The transfer has no deadline unless one is set, and fails after 30 s of silence.
    /// - Returns: The chain; its errors have a ``DownloadError`` as their cause if neither connection nor status is the reason.
    public func download(
        to file: URL,
        resume: DownloadResume,
        verify check: DownloadCheck = .size,
        refresh: DownloadRefresh = .always,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Download> {
        download(DownloadPolicy(target: file, resume: resume, check: check, refresh: refresh, progress: monitor))
    }

    /// Builds a chain that downloads to a file by several concurrent requests, and resumes an earlier attempt.
    ///
    /// For servers that limit the speed of each connection. The first request loads 1 MiB and learns the size; the rest is
    /// divided into one segment per request, each at least 1 MiB. All write to one `<name>.part`, with one `<name>.part.json`
    /// that records the progress of each; a killed process loses at most 1 MiB of progress. If the server does not support
    /// ranges, sends no strong validator or does not tell the size, a single request loads everything, as with fewer than 2
    /// segments. Limits of the client also apply. Otherwise as ``download(to:resume:verify:refresh:progress:)``.
    public func download(
        to file: URL,
        segments: Int,
        verify check: DownloadCheck = .size,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Download> {
        download(DownloadPolicy(target: file, resume: .automatic, check: check, progress: monitor, segments: segments))
    }

    func download(_ policy: DownloadPolicy) -> Chain<Void, Download> {
        let monitor = policy.progress
        var policy = policy
        policy.accepted = acceptedTypes
        let chain = with(policy)
            .build(sending: .nothing, reading: .by(delivery: .stream) { try DownloadPolicy.download(of: $0) })
        let node = AnyNode<Void, Download>("DownloadNode", successors: [chain.head]) { input, context in
            monitor?.begin()
            let download = try await chain.head.process(input, context: context)
            monitor?.end(succeeded: true)
            return download
        }
        return Chain(head: node, options: chain.options.reporting(to: monitor))
    }
}
