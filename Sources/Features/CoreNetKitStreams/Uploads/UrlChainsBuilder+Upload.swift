public import CoreNetKitEssentials
public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitHTTP
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
        upload(.file(file), using: method, journal: journal, progress: monitor)
    }

    /// Builds a chain that sends bytes, a file or a stream in a way that goes on where it broke off.
    ///
    /// As ``upload(file:using:journal:progress:)`` does, without a journal. Bytes and streams live as long as the process. A
    /// stream is read once, from the front, and what is on its way is in memory: the method's `chunk`, 4 MiB where that says
    /// nothing. Where the server asks for more than that again, a stream that can be read anew is, and any other ends with
    /// `unusableContent`.
    ///
    /// A stream of unknown length is read one chunk ahead of its requests. If it ends within the first one, the upload is as
    /// any other; otherwise it is created with `Upload-Defer-Length` (tus, extension `creation-defer-length`), and its length
    /// goes with the request that has its last bytes. A server without the extension refuses that.
    /// - Parameters:
    ///   - content: What is sent.
    ///   - method: The protocol that the server speaks.
    ///   - monitor: Who is told how far it has come.
    /// - Returns: The chain; its errors have an ``UploadError`` as their cause where neither wire nor stream is it.
    public func upload(
        _ content: RequestBody,
        using method: UploadMethod,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Upload> {
        upload(content, using: method, journal: nil, progress: monitor)
    }

    private func upload(
        _ content: RequestBody,
        using method: UploadMethod,
        journal: URL?,
        progress monitor: TransferMonitor?
    ) -> Chain<Void, Upload> {
        // What is repeated, and from which byte, is the upload's alone to say.
        let builder = without(.retry).without(.hedge)
        let pattern: Chain<Void, UploadPayload> = builder.build()
        let parts = configuration.parts
        let creation = requestMethod
        let uploader: @Sendable (CallUser, URL) -> Uploader = { user, route in
            Uploader(
                content: content,
                method: method,
                creation: creation,
                journal: journal,
                progress: monitor,
                files: PosixFiles(),
                clock: parts.clock,
                date: parts.date,
                random: parts.random,
                budget: parts.retryBudget,
                route: route,
                partition: user.session.partition
            ) { try await builder.send($0, $1, $2, as: user) }
        }
        let locator = builder.locator
        var options = pattern.options
        // Each request is a call that is told of; the upload around them is none.
        (options.listeners.log, options.listeners.feeds) = (nil, [])
        options.deadline = .inherited
        return Chain(
            head: AnyNode(Uploader.node, successors: [pattern.head]) { _, context in
                let route = try await locator.process((), context: context)
                return try await uploader(context.user, route).run()
            },
            options: options.reporting(to: monitor)
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

    /// Builds a chain that gives an upload up for good: the server may forget what it has of it (tus, extension
    /// `termination`; the draft, cancellation of an upload).
    ///
    /// Without it an upload that was begun stays on the server for as long as that likes.
    /// - Parameters:
    ///   - journal: The journal of the upload, of the same method, route and user; it goes with it.
    ///   - method: The protocol by which it was begun, with the same metadata.
    /// - Returns: The chain: whether there was one to end; one that the server has forgotten counts as ended. A status
    ///   outside 200..<300 is an error, other than 404 and 410, and the journal stays.
    public func terminateUpload(journal: URL, using method: UploadMethod) -> Chain<Void, Bool> {
        let (builder, path, files) = (self, journal.path(percentEncoded: false), PosixFiles())
        let step = UploadStepper(method, size: 0, creation: requestMethod).step
        let locator = locator
        let pattern: Chain<Void, UploadPayload> = build()
        let node = AnyNode<Void, Bool>("UploadEndNode", successors: [pattern.head]) { _, context in
            let route = try await locator.process((), context: context)
            let user = context.user
            let errand = UploadJournal.errand(step, route, user.session.partition)
            let worker = FileWorker("upload")
            let known = await worker.run { UploadJournal.read(path, errand: errand, files) }
            guard let known, let place = URL(string: known.location) else { return false }
            let policy = UploadRequest(step: .end(of: place, method), body: .empty, monitor: ExchangeMonitor())
            let chain: Chain<Void, UploadPayload> = builder.with(policy).build()
            do {
                _ = try await chain.process((), continuing: user)
            } catch let failure as NetworkError {
                guard let status = failure.refusal?.status, [404, 410].contains(status) else { throw failure }
            }
            await worker.run { try? files.remove(path) }
            return true
        }
        var options = pattern.options
        (options.listeners.log, options.listeners.feeds) = (nil, [])
        return Chain(head: node, options: options)
    }

    /// Where a request of this builder goes.
    private var locator: any Node<Void, URL> {
        sendingNothing(through: core(to: AnyNode("UploadRouteNode") { request, _ in request.url }))
    }
}
