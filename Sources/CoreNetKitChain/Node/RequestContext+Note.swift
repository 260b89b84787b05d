package import CoreNetKitHTTP

extension RequestContext {
    /// Notes an event in the record of this call; it is not even made when nobody listens.
    ///
    /// - Parameter kind: What happened; secrets may be in it, they are left out before anybody sees the record.
    @inlinable
    public func note(_ kind: @autoclosure () -> CallEvent.Kind) {
        if isRecorded { write(kind()) }
    }

    @usableFromInline
    func write(_ kind: consuming CallEvent.Kind) { recording?.note(kind, at: place) }

    /// Adds a line to the record of this call; the message is not even made when nobody listens.
    ///
    /// - Parameters:
    ///   - level: How much it matters.
    ///   - node: Who says it.
    ///   - message: One line.
    public func record(_ level: LogLevel, _ node: @autoclosure () -> NodeID, _ message: @autoclosure () -> String) {
        guard isRecorded, let recording, recording.takes(level) else { return }
        recording.note(.line(level, node(), message()), at: place)
    }

    /// Notes a wait around what waits: its start, and its end however it ends.
    ///
    /// - Parameters:
    ///   - wait: What is waited for.
    ///   - body: What waits.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    public func waiting<Result>(
        for wait: @autoclosure () -> CallEvent.Wait,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard isRecorded, let recording else { return try await body() }
        let wait = wait()
        recording.note(.waitStarted(wait), at: place)
        do {
            let result = try await body()
            recording.note(.waitEnded(wait.kind, .done), at: place)
            return result
        } catch {
            recording.note(.waitEnded(wait.kind, .init(error)), at: place)
            throw error
        }
    }

    /// Where in its call this context stands.
    package var place: CallEvent.Place { .init(attempt: attempt, branch: branch, depth: depth) }

    /// Notes that a request goes to the wire.
    ///
    /// - Parameter request: The request as it is sent.
    /// - Returns: Where the rest of the exchange is noted; `nil` when nobody listens.
    package func beginExchange(_ request: TransportRequest) -> CallEvent.Place? {
        guard isRecorded, let recording else { return nil }
        var place = place
        place.exchange = recording.beginExchange(request, at: place, credentials: credentialFields)
        return place
    }

    /// Whether somebody wants to know all of an exchange, what it costs to find out included.
    package var wantsAll: Bool { isRecorded && recording?.wantsAll == true }

    /// Notes the head of a response, and its end where its content came with it.
    ///
    /// - Returns: What reports the end of a content that is read as a stream.
    package func receive(_ response: TransportResponse, at place: CallEvent.Place?) -> OpenExchange? {
        guard isRecorded, let recording, let place else { return nil }
        recording.receive(response, at: place, credentials: credentialFields)
        guard place.exchange > 0, response.bodyState.isStream else { return nil }
        return OpenExchange(recording, at: place)
    }

    /// Notes that an exchange had no response.
    package func endExchange(_ error: any Error, timings: TransportTimings? = nil, at place: CallEvent.Place?) {
        guard isRecorded, let recording, let place else { return }
        recording.endExchange(.init(error), timings: timings, at: place)
    }
}

extension CallEvent.Wait.End {
    init(_ error: any Error) {
        if error is CancellationError {
            self = .cancelled
        } else if (error as? NetworkError)?.code == .deadlineExceeded {
            self = .deadline
        } else {
            self = .failed
        }
    }
}
