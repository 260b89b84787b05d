public import CoreNetKitEssentials
public import CoreNetKit
public import CoreNetKitChain
package import CoreNetKitSystem

extension UrlChainsBuilder {
    /// Builds a chain that loads the content into a file, and goes on where an earlier try stopped.
    ///
    /// Until the content is complete and checked it is in `<name>.part` beside the target, with `<name>.part.json`; then it
    /// takes the target's place at once. Cancelling the call is how to pause. Only one download writes to a target, in
    /// whatever process. The transfer has no deadline unless one is set, and fails after 30 s of silence.
    /// - Parameters:
    ///   - file: The target; its folder is there.
    ///   - resume: Whether an earlier try is used.
    ///   - check: What the content is compared with.
    ///   - refresh: Whether an existing target is downloaded again.
    ///   - monitor: The monitor of the progress.
    /// - Returns: The chain; its errors have a ``DownloadError`` as their cause where neither wire nor status is it.
    public func download(
        to file: URL,
        resume: DownloadResume,
        verify check: DownloadCheck = .size,
        refresh: DownloadRefresh = .always,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Download> {
        download(
            to: file,
            resume: resume,
            verify: check,
            refresh: refresh,
            progress: monitor,
            files: PosixFiles()
        )
    }

    /// Builds a chain that loads the content into a file by several requests at once, and goes on where an earlier try
    /// stopped.
    ///
    /// For servers that give each connection a part of what they could. The first request asks for 1 MiB and learns the
    /// size; what is missing then is cut into as many stretches as requests may run, none below 1 MiB. All of them write into
    /// one `<name>.part`, with one `<name>.part.json`, which says how far each has come; a killed process loses at most 1 MiB
    /// of what it has loaded. A server without ranges, without a strong validator or without a known size is asked once, for
    /// the whole. Otherwise as ``download(to:resume:verify:refresh:progress:)``.
    /// - Parameters:
    ///   - file: The target; its folder is there.
    ///   - segments: How many requests run at once; below 2 it is one. Limits of the client count, too.
    ///   - check: What the content is compared with.
    ///   - monitor: Who is told how far it has come.
    /// - Returns: The chain; its errors have a ``DownloadError`` as their cause where neither wire nor status is it.
    public func download(
        to file: URL,
        segments: Int,
        verify check: DownloadCheck = .size,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Download> {
        download(
            to: file,
            resume: .automatic,
            verify: check,
            progress: monitor,
            files: PosixFiles(),
            segments: segments
        )
    }

    package func download(
        to file: URL,
        resume: DownloadResume,
        verify check: DownloadCheck = .size,
        refresh: DownloadRefresh = .always,
        progress monitor: TransferMonitor? = nil,
        files: any FileOperations,
        segments: Int = 1
    ) -> Chain<Void, Download> {
        let policy = DownloadPolicy(
            target: file,
            resume: resume,
            check: check,
            refresh: refresh,
            files: files,
            progress: monitor,
            segments: segments,
            accepted: acceptedTypes
        )
        let chain: Chain<Void, DownloadPayload> = with(policy).build()
        let node = AnyNode<Void, Download>("DownloadNode", successors: [chain.head]) { input, context in
            monitor?.begin()
            let download = try await chain.head.process(input, context: context).download
            monitor?.end(succeeded: true)
            return download
        }
        return Chain(head: node, options: chain.options.reporting(to: monitor))
    }
}
