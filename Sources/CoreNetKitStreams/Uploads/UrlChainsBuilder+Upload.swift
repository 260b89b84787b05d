public import CoreNetKitEssentials
public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitSystem

extension UrlChainsBuilder {
    /// Builds a chain that sends a file in a way that goes on where it broke off.
    ///
    /// Each request is a call of the chain, tokens and limits work for each; the route's method and URL are those of the
    /// request that creates the upload. The transfer has no deadline unless one is set.
    /// - Parameters:
    ///   - file: What is sent; it must not change meanwhile.
    ///   - method: The protocol that the server speaks.
    ///   - journal: A file that remembers where the server keeps the upload, so that another process can go on; removed at
    ///     the end.
    ///   - monitor: Who is told how far it has come.
    /// - Returns: The chain; its errors have an ``UploadError`` as their cause where the wire is not it.
    public func upload(
        file: URL,
        using method: UploadMethod,
        journal: URL? = nil,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Upload> {
        let builder = without(.status)
        let parts = configuration.parts
        let creation = requestMethod
        let uploader: @Sendable (CallUser) -> Uploader = { user in
            Uploader(
                file: file,
                method: method,
                creation: creation,
                journal: journal,
                progress: monitor,
                files: PosixFiles(),
                clock: parts.clock,
                random: parts.random
            ) { step, body, exchange in
                let policy = UploadRequest(step: step, body: body, monitor: exchange)
                let chain: Chain<Void, UploadPayload> = builder.with(policy).build()
                return try await chain.process((), continuing: user)
            }
        }
        let pattern: Chain<Void, UploadPayload> = builder.build()
        var options = pattern.options
        options.log = nil
        options.deadline = .none
        return Chain(
            head: AnyNode(Uploader.stage, successors: [pattern.head]) { _, context in
                try await uploader(context.user).run()
            },
            options: options
        )
    }
}
