public import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

extension UrlChainsBuilder {
    /// Builds a chain that uploads a file and resumes after interruptions.
    ///
    /// Each request is a call of the chain: tokens and limits apply to each; only the upload itself retries. The route's
    /// method and URL are those of the request that creates the upload. The transfer has no deadline unless one is set. If the
    /// file changes meanwhile, the upload fails with `fileChanged`. The journal is a file that stores the upload URL, so that
    /// another process can resume with the same file, route and user; it is removed at the end.
    /// - Returns: The chain; its errors have an ``UploadError`` as their cause if the connection is not the reason.
    public func upload(
        file: URL,
        using method: UploadMethod,
        journal: URL? = nil,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Upload> {
        upload(.file(file), using: method, journal: journal, progress: monitor)
    }

    /// Builds a chain that uploads bytes, a file or a stream and resumes after interruptions.
    ///
    /// As ``upload(file:using:journal:progress:)``, without a journal: bytes and streams end with the process. A stream is
    /// read once, from the start, and the bytes of a request are held in memory: the method's `chunk`, or 4 MiB. If the server
    /// needs earlier bytes again, a replayable stream is read again, and any other fails with `unusableContent`.
    ///
    /// A stream of unknown length is read one chunk ahead of its requests. If it ends within the first chunk, its length is
    /// known from the start; otherwise the upload is created with `Upload-Defer-Length` (tus, extension
    /// `creation-defer-length`), and the request with the last bytes carries the length. A server without the extension
    /// refuses that.
    /// - Returns: The chain; its errors have an ``UploadError`` as their cause if neither connection nor stream is the reason.
    public func upload(
        _ content: RequestBody,
        using method: UploadMethod,
        progress monitor: TransferMonitor? = nil
    ) -> Chain<Void, Upload> { upload(content, using: method, journal: nil, progress: monitor) }

    private func upload(
        _ content: RequestBody,
        using method: UploadMethod,
        journal: URL?,
        progress monitor: TransferMonitor?
    ) -> Chain<Void, Upload> {
        // The upload alone decides what is repeated, and from which byte.
        let builder = without(.retry).without(.hedge)
        let pattern = builder.steps
        let parts = configuration.parts
        let creation = requestMethod
        let locator = builder.locator
        var options = pattern.options
        // Each request is recorded as its own call; the upload is not.
        (options.listeners.log, options.listeners.feeds) = (nil, [])
        options.deadline = .inherited
        return Chain(
            head: AnyNode(Uploader.node, successors: [pattern.head]) { _, context in
                let user = context.user
                let uploader = Uploader(
                    content: content,
                    method: method,
                    creation: creation,
                    journal: journal,
                    progress: monitor,
                    parts: parts,
                    route: try await locator.process((), context: context),
                    partition: user.session.partition
                ) { try await builder.send($0, $1, $2, as: user) }
                return try await uploader.run()
            },
            options: options.reporting(to: monitor)
        )
    }

    /// Sends one request of an upload; a failure with a status is returned as a response.
    private func send(
        _ step: UploadStep,
        _ body: RequestBody,
        _ exchange: ExchangeMonitor,
        as user: CallUser
    ) async throws -> UploadReply {
        let policy = UploadRequest(step: step, body: body, monitor: exchange)
        do {
            return try await with(policy).steps.process((), continuing: user)
        } catch let failure as NetworkError {
            // The chain refused it for its status: the upload decides what it means.
            guard let response = failure.response, failure.code == NetworkError.Code(status: response.status) else {
                throw failure
            }
            var reply = UploadReply(response, interim: exchange.state.interim)
            reply.isRenewed = policy.isRenewed
            return reply
        }
    }

    /// Builds a chain that terminates an upload, so that the server may delete it (tus, extension `termination`; the draft,
    /// cancellation of an upload).
    ///
    /// Without termination the server keeps an unfinished upload for as long as it likes. Route, user and method, with its
    /// metadata, must be those of the upload; its journal is removed.
    /// - Returns: The chain: whether there was an upload; one that the server has lost counts as terminated. A status
    ///   outside 200..<300, other than 404 and 410, is an error, and the journal stays.
    public func terminateUpload(journal: URL, using method: UploadMethod) -> Chain<Void, Bool> {
        let (builder, path, files) = (self, journal.path(percentEncoded: false), PosixFiles())
        let step = UploadStepper(method, size: 0, creation: requestMethod).step
        let locator = locator
        let pattern = steps
        let node = AnyNode<Void, Bool>("UploadEndNode", successors: [pattern.head]) { _, context in
            let route = try await locator.process((), context: context)
            let user = context.user
            let fingerprint = UploadCheckpoint.fingerprint(step, route, user.session.partition)
            let worker = FileWorker("upload")
            let known = await worker.run { UploadCheckpoint.read(path, fingerprint: fingerprint, files) }
            guard let known, let place = URL(string: known.location) else { return false }
            let policy = UploadRequest(step: .end(of: place, method), body: .empty, monitor: ExchangeMonitor())
            do {
                _ = try await builder.with(policy).steps.process((), continuing: user)
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

    /// The chain of one request of an upload.
    private var steps: Chain<Void, UploadReply> {
        build(sending: .nothing, reading: .by { UploadReply(FailedResponse($0), interim: $0.interim) })
    }

    /// The URL of the requests of this builder.
    private var locator: any Node<Void, URL> {
        sendingNothing(through: core(to: AnyNode("UploadRouteNode") { request, _ in request.url }))
    }
}

struct BodyPolicy: ChainPolicy {
    let body: RequestBody
    let type: String

    var positions: [ChainPosition] { [.inside(of: .headers, "body")] }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("BodyNode", successors: [next]) { request, context in
            guard request.body.isEmpty else {
                let message = "the input has a body, too: leave set(body:) out, or call a chain without input"
                throw NetworkError(.invalidChain, message, node: "BodyNode")
            }
            var (request, context) = (request, context)
            request.body = body
            request.headers["Content-Type"] = type
            if context.hasTooShortDeadline(for: request) { context.removeStandardDeadline() }
            return try await next.process(request, context: context)
        }
    }
}

extension UrlChainsBuilder {
    /// Sends bytes, a file or a stream as they are, with chains that send no model, or send it as a query.
    ///
    /// A body that can be read only once is not sent again, neither by retry nor by a redirect with status 307. With an input
    /// that has a body of its own, and for an upload or a socket, calls fail with `invalidChain` before anything is sent.
    public func set(body: RequestBody, type: String = "application/octet-stream") -> Self {
        with(BodyPolicy(body: body, type: type))
    }
}
