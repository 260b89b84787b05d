package import CoreNetKitHTTP

extension RequestContext {
    /// Records an event of this call, without secrets once it is delivered; without listeners it is not created.
    @inlinable
    public func note(_ kind: @autoclosure () -> CallEvent.Kind) {
        if isRecorded { write(kind()) }
    }

    /// Records an event that counters do not need; without other listeners it is not created.
    @inlinable
    package func noteDetail(_ kind: @autoclosure () -> CallEvent.Kind) {
        if isDetailed { write(kind()) }
    }

    @usableFromInline
    func write(_ kind: consuming CallEvent.Kind) {
        if isDetailed { recording?.note(kind, at: location) } else { countedCall?.note(kind, at: location) }
    }

    /// Ends the call for its caller; what only counts makes no record of an error.
    func finish(_ counted: CallStatistics.Outcome, _ outcome: @autoclosure () -> CallRecord.Outcome) {
        guard isRecorded else { return }
        if isDetailed { recording?.finish(outcome()) } else { countedCall?.finish(counted) }
    }

    /// Begins work that other calls may share: its requests are in this call's record, which waits for
    /// ``releaseRecord()``, even if this call ends before.
    package func holdRecord() {
        guard isRecorded else { return }
        if isDetailed { recording?.hold() } else { countedCall?.hold() }
    }

    package func releaseRecord() {
        guard isRecorded else { return }
        if isDetailed { recording?.release() } else { countedCall?.release() }
    }

    /// Adds a line to the record of this call; without listeners the message is not created.
    public func record(_ level: LogLevel, _ node: @autoclosure () -> NodeID, _ message: @autoclosure () -> String) {
        guard isDetailed, let recording, recording.takes(level) else { return }
        recording.note(.line(level, node(), message()), at: location)
    }

    /// Records a wait around an operation: its start, and its end, however it ends.
    public func waiting<Result>(
        for wait: @autoclosure () -> CallEvent.Wait,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard isRecorded else { return try await body() }
        let wait = wait()
        write(.waitStarted(wait))
        do {
            let result = try await body()
            write(.waitEnded(wait.kind, .done))
            return result
        } catch {
            write(.waitEnded(wait.kind, .init(error)))
            throw error
        }
    }

    package var location: CallEvent.Location { .init(attempt: attempt, branch: branch, depth: depth) }

    package func beginExchange(_ request: TransportRequest) -> CallEvent.Location? {
        guard isRecorded else { return nil }
        var location = location
        if isDetailed {
            location.exchange = recording?.beginExchange(request, at: location, credentials: credentialFields) ?? 0
        } else {
            location.exchange = countedCall?.beginExchange(request, at: location) ?? 0
        }
        return location
    }

    /// Whether a listener needs all details of an exchange, even those that are costly to collect.
    package var wantsAll: Bool { isDetailed && recording?.wantsAll == true }

    /// Records the head of a response; returns an object that reports the end of content that is read as a stream.
    package func receive(_ response: TransportResponse, at location: CallEvent.Location?) -> OpenExchange? {
        guard isRecorded, let location else { return nil }
        let isStream = response.bodyState.isStream
        let isOpen = location.exchange > 0 && isStream
        if let countedCall {
            countedCall.receive(response, isStream: isStream, at: location)
            guard isOpen else { return nil }
            return OpenExchange(length: response.streamLength) {
                countedCall.endExchange($0, timings: $1, at: location)
            }
        }
        guard let recording else { return nil }
        recording.receive(response, at: location, credentials: credentialFields)
        return isOpen ? OpenExchange(recording, at: location, length: response.streamLength) : nil
    }

    /// Records that an exchange failed; `cause` is the transport's error, with the response if there is one.
    package func endExchange(_ error: any Error, by cause: TransportError? = nil, at location: CallEvent.Location?) {
        guard isRecorded, let location else { return }
        let end = CallEvent.ExchangeEnd(error, bytesRead: cause?.response?.bodyState.size)
        if let response = cause?.response {
            recording?.receive(response, isOpen: true, at: location, credentials: credentialFields)
            countedCall?.receive(response, isStream: true, at: location)
        }
        recording?.endExchange(end, timings: cause?.timings, at: location)
        countedCall?.endExchange(end, timings: cause?.timings, at: location)
    }
}

extension TransportResponse {
    /// The length of a stream, if its response declares it; `nil` for decoded content, and for a connection.
    fileprivate var streamLength: Int64? {
        guard case .stream = body else { return nil }
        if status == 204 || status == 304 { return 0 }
        guard !isDecoded, !headers.contains("Transfer-Encoding") else { return nil }
        return headers["Content-Length"].flatMap { Int64($0) }
    }
}

extension CallEvent.Wait.End {
    init(_ error: any Error) {
        let isLate = (error as? NetworkError)?.code == .deadlineExceeded
        self = error is CancellationError ? .cancelled : isLate ? .deadline : .failed
    }
}
