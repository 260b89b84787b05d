public import CoreNetKitEssentials
public import CoreNetKit
public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

extension UrlChainsBuilder {
    /// Builds a chain that sends a file in a way that goes on where it broke off.
    ///
    /// Each request is a call of the chain, tokens and limits work for each; only the upload itself repeats them. The route's
    /// method and URL are those of the request that creates the upload. The transfer has no deadline unless one is set.
    /// - Parameters:
    ///   - file: The file to send; if it changes in the meantime, the upload ends with `fileChanged`.
    ///   - method: The protocol that the server speaks.
    ///   - journal: A file that remembers where the server keeps the upload, so that another process can go on with the same
    ///     file, route and user; removed at the end.
    ///   - monitor: The monitor of the progress.
    /// - Returns: The chain; its errors have an ``UploadError`` as their cause where the wire is not it.
    public func upload(
        file: URL,
        using method: UploadMethod,
        journal: URL? = nil,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Upload> {
        // What is repeated, and from which byte, is the upload's alone to say.
        let builder = without(.retry).without(.hedge)
        let pattern: Chain<Void, UploadPayload> = builder.build()
        let parts = configuration.parts
        let creation = requestMethod
        let uploader: @Sendable (CallUser, URL) -> Uploader = { user, route in
            Uploader(
                file: file,
                method: method,
                creation: creation,
                journal: journal,
                progress: monitor,
                files: PosixFiles(),
                clock: parts.clock,
                date: parts.date,
                random: parts.random,
                route: route,
                partition: user.session.partition
            ) { try await builder.send($0, $1, $2, as: user) }
        }
        let locator: any Node<Void, URL> = builder.sendingNothing(
            through: builder.core(to: AnyNode("UploadRouteNode") { request, _ in request.url })
        )
        var options = pattern.options
        // Each request is a call that is told of; the upload around them is none.
        (options.log, options.feeds) = (nil, [])
        options.deadline = .inherited
        return Chain(
            head: AnyNode(Uploader.node, successors: [pattern.head]) { _, context in
                let route = try await locator.process((), context: context)
                return try await uploader(context.user, route).run()
            },
            options: options
        )
    }

    /// One request of an upload; what failed with a status is one of its responses.
    private func send(
        _ step: UploadStep,
        _ body: RequestBody,
        _ exchange: ExchangeMonitor,
        as user: CallUser
    ) async throws -> UploadPayload {
        let policy = UploadRequest(step: step, body: body, monitor: exchange)
        let chain: Chain<Void, UploadPayload> = with(policy).build()
        do {
            return try await chain.process((), continuing: user)
        } catch let failure as NetworkError {
            guard var payload = UploadPayload(failure, exchange.state.interim) else { throw failure }
            payload.isRenewed = policy.isRenewed
            return payload
        }
    }
}
