import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem

/// The connections of one stream of events, one after another, each a call of the chain: the reader sets the pace down to the
/// wire.
final class EventConnection: Sendable {
    private struct State: Sendable {
        var content: StreamedResponse?
        var response: FailedResponse?
        var parser: EventParser?
        var lastEventID: String
        var retry: Duration?
        var openedAt: Duration
        /// Whether an event or a comment has arrived.
        var isAlive = false
        var isClosed = false
        /// Whether the owner of the stream has closed it.
        var isClosedByReader = false
        /// Cancels the wait for the next connection and its opening.
        var cancelReopening: (@Sendable () -> Void)?
        var failures = 0
        var empties = 0
        var reconnects = 0
        var skipped = 0

        mutating func dropParser() {
            lastEventID = parser?.lastEventID ?? lastEventID
            parser = nil
        }
    }

    static let mediaType = "text/event-stream"

    let node: NodeID = "EventsNode"
    let states: StateFeed<EventStreamState>
    private let state: Locked<State>
    private let method: HTTPMethod
    private let limits: EventLimits
    private let parts: ChainParts
    private let connect: @Sendable (String) async throws -> StreamedResponse
    /// The error that the reader gets.
    private let errorForCaller: @Sendable (any Error) -> any Error

    init(
        _ parts: ChainParts,
        method: HTTPMethod,
        lastEventID: String,
        limits: EventLimits,
        errorForCaller: @escaping @Sendable (any Error) -> any Error,
        connect: @escaping @Sendable (String) async throws -> StreamedResponse
    ) {
        (self.parts, self.method, self.limits) = (parts, method, limits)
        (self.errorForCaller, self.connect) = (errorForCaller, connect)
        states = StateFeed(.connecting)
        state = Locked(State(lastEventID: lastEventID, openedAt: parts.clock.now))
    }

    deinit { close() }

    var lastEventID: String { state.withLock { $0.parser?.lastEventID ?? $0.lastEventID } }
    var reconnects: Int { state.withLock(\.reconnects) }
    var skipped: Int { state.withLock(\.skipped) }
    var response: FailedResponse? { state.withLock(\.response) }

    func noteSkipped() { state.withLock { $0.skipped += 1 } }

    func open() async throws {
        states.set(.connecting)
        let response = try await connect(lastEventID)
        // With 204 a server tells a client not to reconnect.
        let status = response.failed.status
        guard status != 204 else { return close() }
        let type = MediaTypeField(parsing: response.failed.headers["Content-Type"] ?? "")?.essence
        guard status == 200, type == Self.mediaType else {
            let (code, words): (NetworkError.Code, String) =
                status == 200
                ? (.decodingFailed, "the response is not \(Self.mediaType)")
                : (.invalidResponse, "status \(status) is not the start of an event stream")
            throw NetworkError(code, words, node: node, response: try await response.failedWithContent())
        }
        let isClosed = state.withLock { state in
            guard !state.isClosed else { return true }
            state.dropParser()
            (state.content, state.response) = (response, response.failed)
            (state.openedAt, state.isAlive) = (parts.clock.now, false)
            return false
        }
        if !isClosed { states.set(.open) }
    }

    /// Ends the stream, on the wire too; a waiting reader gets the end.
    func close() { end { $0.close() } }

    private func finish() { end { $0.finish(on: parts.clock) } }

    private func end(_ leave: (StreamedResponse) -> Void) {
        let (content, cancelReopening) = state.withLock { state in
            state.dropParser()
            state.isClosed = true
            return (state.content.take(), state.cancelReopening.take())
        }
        if let content { leave(content) }
        cancelReopening?()
        states.set(.closed)
        states.finish()
    }

    /// Ends the stream for its reader, too: then a missing end mark is no error.
    func closeByReader() {
        state.withLock { $0.isClosedByReader = true }
        close()
    }

    /// The next buffered event that the rules deliver; `nil` if there is none.
    func ready(_ rules: EventRules) throws -> ServerSentEvent? {
        while let event = try parsed(rules) { if try isGiven(event, rules) { return event } }
        return nil
    }

    /// Whether an event is delivered; ends the stream if it is the end mark or an error.
    private func isGiven(_ event: ServerSentEvent, _ rules: EventRules) throws -> Bool {
        for failure in rules.failures {
            guard var error = failure(event) else { continue }
            error.response = error.response ?? response
            finish()
            throw errorForCaller(error)
        }
        let (isEnd, isIncluded) = rules.isEnd(event)
        if isEnd {
            finish()
            return isIncluded
        }
        return rules.types?.contains(event.type) ?? true
    }

    /// The next event of this connection or, if reconnection is allowed, of the next one; `nil` at the end.
    func next(_ rules: EventRules) async throws -> ServerSentEvent? {
        while true {
            if let event = try ready(rules) { return event }
            guard let stream = state.withLock(\.content?.stream) else { return nil }
            do {
                var chunks = stream.makeAsyncIterator()
                if let chunk = try await chunks.next() {
                    state.withLock { $0.parser?.feed(chunk) }
                    continue
                }
                if state.withLock(\.isClosedByReader) { return nil }
            } catch let error as CancellationError {
                close()
                throw error
            } catch {
                guard let failure = NetworkError.wrapping(error, node: node) else { throw error }
                guard failure.isRetryable, rules.reconnection.allows(method) else {
                    close()
                    throw failure
                }
                try await reopen(rules, after: failure)
                continue
            }
            guard rules.reconnection.allows(method) else {
                close()
                return try ended(rules)
            }
            try await reopen(rules, after: nil)
            if state.withLock({ $0.content == nil }) { return try ended(rules) }
        }
    }

    private func parsed(_ rules: EventRules) throws -> ServerSentEvent? {
        let keepsComments = rules.onComment != nil
        let item: EventStreamItem?
        do throws(StreamError) {
            item = try state.withLock { state throws(StreamError) in
                guard state.content != nil else { return nil }
                if state.parser == nil {
                    let id = state.lastEventID
                    state.parser = EventParser(lastEventID: id, limits: limits, keepsComments: keepsComments)
                }
                let item = try state.parser?.next()
                state.retry = state.parser?.retry ?? state.retry
                if item != nil || state.parser?.hasComment == true { state.isAlive = true }
                return item
            }
        } catch {
            let response = response
            close()
            throw NetworkError.stream(error, node: node, response: response)
        }
        switch item {
        case .event(let event): return event
        case .comment(let text):
            rules.onComment?(text)
            return try parsed(rules)
        case nil: return nil
        }
    }

    private func ended(_ rules: EventRules) throws -> ServerSentEvent? {
        if rules.end == nil || state.withLock(\.isClosedByReader) { return nil }
        let cut = StreamError(.cut, "the stream ended without its end mark")
        throw NetworkError.stream(cut, node: node, response: response)
    }

    /// Opens a new connection, unless the stream is closed in the meantime.
    private func reopen(_ rules: EventRules, after failure: NetworkError?) async throws {
        let task = Task<Void, any Error>.inside { try await self.connectAgain(rules, after: failure) }
        let isClosed = state.withLock { state in
            state.cancelReopening = { task.cancel() }
            return state.isClosed
        }
        if isClosed { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.cancelReopening = nil }
        do {
            try result.get()
        } catch let error as CancellationError {
            close()
            guard state.withLock(\.isClosedByReader), !Task.isCancelled else { throw error }
        }
    }

    private func connectAgain(_ rules: EventRules, after failure: NetworkError?) async throws {
        var failure = failure
        while true {
            let (wait, asked) = try wait(rules, after: failure)
            states.set(.waiting(wait))
            try await parts.sleep(for: wait, atLeast: asked)
            do {
                state.withLock { $0.reconnects += 1 }
                return try await open()
            } catch let error as CancellationError {
                throw error
            } catch {
                guard let next = NetworkError.wrapping(error, node: node), next.isRetryable else {
                    close()
                    throw errorForCaller(error)
                }
                failure = next
            }
        }
    }

    /// The wait, and how much of it the server asked for.
    private func wait(_ rules: EventRules, after failure: NetworkError?) throws -> (Duration, asked: Duration?) {
        let (failures, empties, retry) = state.withLock { state in
            let lasted = parts.clock.now - state.openedAt
            let wasGood = state.isAlive || (state.content != nil && lasted >= rules.reconnection.reset)
            state.failures = wasGood ? 0 : state.failures + 1
            state.empties = wasGood || failure != nil ? 0 : state.empties + 1
            state.content = nil
            state.isAlive = false
            return (state.failures, state.empties, state.retry)
        }
        guard empties <= rules.reconnection.emptyLimit else {
            close()
            let words = "\(empties) connections in a row ended without an event or a comment"
            throw NetworkError(.connectionLost, words, node: node, response: response)
        }
        let retryAfter = failure?.refusal.flatMap { RetryAfter.wait(of: $0.headers, now: parts.date) }
        let random = parts.random.next()
        let wait = rules.reconnection.wait(failures: failures, retry: retry, retryAfter: retryAfter, random: random)
        return (wait, [retry, retryAfter].compactMap(\.self).max())
    }
}
