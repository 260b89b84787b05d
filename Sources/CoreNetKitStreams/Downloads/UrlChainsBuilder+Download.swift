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

    package func download(
        to file: URL,
        resume: DownloadResume,
        verify check: DownloadCheck = .size,
        refresh: DownloadRefresh = .always,
        progress monitor: TransferMonitor? = nil,
        files: any FileOperations
    ) -> Chain<Void, Download> {
        let policy = DownloadPolicy(
            target: file,
            resume: resume,
            check: check,
            refresh: refresh,
            files: files,
            progress: monitor
        )
        let chain: Chain<Void, DownloadPayload> = with(policy).build()
        let node = AnyNode<Void, Download>("DownloadNode", successors: [chain.head]) { input, context in
            monitor?.begin()
            do {
                let download = try await chain.head.process(input, context: context).download
                monitor?.end(succeeded: true)
                return download
            } catch {
                monitor?.end(succeeded: false)
                throw error
            }
        }
        return Chain(head: node, options: chain.options)
    }
}
