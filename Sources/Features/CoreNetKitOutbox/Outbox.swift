public import CoreNetKitEssentials
import CoreNetKitHTTP
package import CoreNetKitSystem

/// Stores requests on disk before the call returns, and sends them until the server has them: once, in order, whatever
/// happens to the process.
///
/// ```swift
/// let outbox = try Outbox(at: folder)
/// let receipt = try await outbox.enqueue(request, in: "post/42")      // on disk
/// await outbox.run(with: client)                                      // delivers until it is cancelled
/// ```
///
/// Of several processes with the same folder one delivers; the others only enqueue. A table in the documentation says
/// after which outcomes a request is repeated, and when it ends as dead or in doubt; no request is ever dropped silently.
public final class Outbox: Sendable {
    let engine: OutboxEngine
    private let claim: FolderClaim?

    /// Creates an outbox; the first operation opens the folder.
    ///
    /// - Parameters:
    ///   - folder: A folder for this outbox alone, created if it is missing; its parent must exist.
    ///   - owner: The user of the client's tokens, see ``switchOwner(to:others:)``; entries of others wait.
    ///   - options: How it works.
    ///   - clock: The clock for waits; tests pass a manual one.
    ///   - date: The time of day.
    ///   - seed: Makes the random part of waits repeatable, for tests.
    /// - Throws: ``OutboxError`` with code `alreadyOpen` if this process already has an outbox on the folder,
    ///   `invalidOption` for a URL that is not a file URL.
    public convenience init(
        at folder: URL,
        owner: String? = nil,
        options: Options = Options(),
        clock: some Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        seed: UInt64? = nil
    ) throws(OutboxError) {
        guard folder.isFileURL, folder.path.hasPrefix("/"), folder.path.count > 1 else {
            throw OutboxError(.invalidOption, "the folder of an outbox is a file URL")
        }
        var path = folder.standardizedFileURL.path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard let claim = FolderClaim(path) else {
            throw OutboxError(.alreadyOpen, "this process already has an outbox at \(path); share that one")
        }
        let (time, seed) = (OutboxTime(clock: clock, date: date), seed ?? .random(in: .min ... .max))
        self.init(engine: OutboxEngine(PosixFiles(), path, options, time, owner: owner, seed: seed), claim: claim)
    }

    /// An outbox on any file system, such as a simulated disk.
    package convenience init(
        files: any FileOperations,
        folder: String,
        owner: String? = nil,
        options: Options = Options(),
        clock: some Clock<Duration>,
        seed: UInt64 = 7,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        let time = OutboxTime(clock: clock, date: date)
        self.init(engine: OutboxEngine(files, folder, options, time, owner: owner, seed: seed))
    }

    init(engine: OutboxEngine, claim: FolderClaim? = nil) { (self.engine, self.claim) = (engine, claim) }

    deinit { claim?.release(engine) }

    /// The engine, once an earlier outbox of this process has released the folder.
    var opened: OutboxEngine {
        get async {
            await claim?.predecessor?.value
            return engine
        }
    }

    // MARK: Enqueueing

    /// Stores a request; returns when it is on disk.
    ///
    /// - Parameters:
    ///   - request: The request, without credentials: the client's policies add those at each delivery.
    ///   - queue: Requests of one queue are sent one after the other; `nil` for a separate queue.
    ///   - kind: The kind of request, for ``on(_:_:)``.
    ///   - expires: The time after which it is no longer useful; `nil` for never.
    ///   - mergeKey: Replaces an entry of the same queue and key that has not been sent yet.
    ///   - repetition: Whether it may be sent again if the outcome of the last attempt is unknown.
    ///   - key: The idempotency key; `nil` generates one if the server honours keys.
    ///   - owner: The user whose tokens it needs; `nil` for the outbox's current owner, or for any user if it has none.
    ///   - expects: The media type of a genuine response: HTML instead comes from a captive portal.
    ///   - conditions: What it waits for, besides its turn.
    /// - Returns: The receipt.
    /// - Throws: ``OutboxError``; the request is not sent then, unless the code is `uncertain`.
    @discardableResult
    public func enqueue(
        _ request: OutboxRequest,
        in queue: String? = nil,
        kind: String = "",
        expires: Duration? = nil,
        merging mergeKey: String? = nil,
        repetition: OutboxRepetition = .byMethod,
        key: String? = nil,
        owner: String? = nil,
        expects: String? = nil,
        when conditions: Set<OutboxCondition> = []
    ) async throws -> OutboxReceipt {
        var options = EnqueueOptions(queue: queue, kind: kind, expires: expires, mergeKey: mergeKey)
        (options.repetition, options.key, options.owner) = (repetition, key, owner)
        (options.expects, options.conditions) = (expects, conditions)
        return try await enqueue(request.transportRequest, options)
    }

    func enqueue(_ request: TransportRequest, _ options: EnqueueOptions) async throws -> OutboxReceipt {
        let head = try options.head(for: request, made: engine.time.moment(), revision: engine.options.revision)
        return try await opened.enqueue(head, request.body, ignoresTokenOwner: options.ignoresTokenOwner)
    }

    // MARK: Looking

    /// The current state.
    public var state: State { get async { await opened.snapshot() } }

    /// The newest state after each change, at most ten times a second; begins with the current state.
    public var changes: AsyncStream<State> {
        let changes = engine.changes.values
        let last = Locked<Duration?>(nil)
        return AsyncStream(unfolding: { [engine] in
            // The first one is there at once.
            for await _ in changes { break }
            if let before = last.withLock({ $0 }) { try? await engine.time.sleep(before + .milliseconds(100)) }
            if Task.isCancelled { return nil }
            last.withLock { $0 = engine.time.monotonic() }
            return await engine.snapshot()
        })
    }

    /// Registers a handler for the responses to a kind of request, including requests of earlier processes.
    ///
    /// The handler finishes before the entry counts as delivered and before its queue continues, so a process that ends
    /// in between gets the response once more. An entry that must not be repeated counts as delivered first. The handler
    /// gets each response of status 2xx; `nil` removes it.
    public func on(_ kind: String, _ handler: (@Sendable (OutboxDelivery) async -> Void)?) async {
        await engine.handle(kind, handler)
    }
}

/// The one outbox of this process on a folder; the next one waits until the engine of the previous one has released it.
///
/// An engine may outlive its outbox: because of running work, or because the app keeps values of the outbox.
final class FolderClaim: Sendable {
    private enum Holder: Sendable { case open, closing(id: UUID, Task<Void, Never>) }

    private static let holders = Locked<[String: Holder]>([:])

    private let path: String
    /// The shutdown of the previous outbox; `nil` if there was none.
    let predecessor: Task<Void, Never>?

    init?(_ path: String) {
        let before = Self.holders.withLock { $0.updateValue(.open, forKey: path) }
        if case .open? = before { return nil }
        self.path = path
        if case .closing(_, let task)? = before { predecessor = task } else { predecessor = nil }
    }

    func release(_ engine: OutboxEngine) {
        Self.holders.withLock { [path, predecessor] holders in
            let id = UUID()
            let end = Task {
                await predecessor?.value
                await engine.close()
                Self.holders.withLock { holders in
                    if case .closing(id, _)? = holders[path] { holders[path] = nil }
                }
            }
            holders[path] = .closing(id: id, end)
        }
    }
}
