package import CoreNetKitHTTP

extension RequestContext {
    /// Records an event of this call; without listeners it is not created.
    ///
    /// - Parameter kind: What happened; it may contain secrets, which are removed before the record is delivered.
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
        if isDetailed { recording?.note(kind, at: place) } else { countedCall?.note(kind, at: place) }
    }

    /// Ends the call for its caller.
    func finish(_ end: @autoclosure () -> CallRecording.End) {
        guard isRecorded else { return }
        if isDetailed { recording?.finish(end()) } else { countedCall?.finish(.init(end())) }
    }

    /// Begins work that other calls may share: its requests are in this call's record, which waits for
    /// ``releaseRecord()``, even if this call ends before.
    package func holdRecord() {
        guard isRecorded else { return }
        if isDetailed { recording?.hold() } else { countedCall?.hold() }
    }

    /// Ends the shared work.
    package func releaseRecord() {
        guard isRecorded else { return }
        if isDetailed { recording?.release() } else { countedCall?.release() }
    }

    /// Adds a line to the record of this call; without listeners the message is not created.
    ///
    /// - Parameters:
    ///   - level: Its importance.
    ///   - node: The node that writes it.
    ///   - message: One line.
    public func record(_ level: LogLevel, _ node: @autoclosure () -> NodeID, _ message: @autoclosure () -> String) {
        guard isDetailed, let recording, recording.takes(level) else { return }
        recording.note(.line(level, node(), message()), at: place)
    }

    /// Records a wait around an operation: its start, and its end, however it ends.
    ///
    /// - Parameters:
    ///   - wait: The kind of the wait.
    ///   - body: The operation that waits.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body.
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

    /// The position of this context in its call.
    package var place: CallEvent.Place { .init(attempt: attempt, branch: branch, depth: depth) }

    /// Records that a request is sent.
    ///
    /// - Parameter request: The request as it is sent.
    /// - Returns: The position of the exchange, for its further events; `nil` without listeners.
    package func beginExchange(_ request: TransportRequest) -> CallEvent.Place? {
        guard isRecorded else { return nil }
        var place = place
        if isDetailed {
            place.exchange = recording?.beginExchange(request, at: place, credentials: credentialFields) ?? 0
        } else {
            place.exchange = countedCall?.beginExchange(request, at: place) ?? 0
        }
        return place
    }

    /// Whether a listener needs all details of an exchange, even those that are costly to collect.
    package var wantsAll: Bool { isDetailed && recording?.wantsAll == true }

    /// Records the head of a response, and its end if its content was delivered with it.
    ///
    /// - Returns: An object that reports the end of content that is read as a stream.
    package func receive(_ response: TransportResponse, at place: CallEvent.Place?) -> OpenExchange? {
        guard isRecorded, let place else { return nil }
        let isStream = response.isBodyStream
        let isOpen = place.exchange > 0 && isStream
        if let countedCall {
            countedCall.receive(response, isStream: isStream, at: place)
            guard isOpen else { return nil }
            return OpenExchange(length: response.streamLength) { countedCall.endExchange($0, timings: $1, at: place) }
        }
        guard let recording else { return nil }
        recording.receive(response, at: place, credentials: credentialFields)
        return isOpen ? OpenExchange(recording, at: place, length: response.streamLength) : nil
    }

    /// Records that an exchange had no response, or one whose content failed.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - cause: The transport's error, with the response if there is one.
    ///   - place: The position of the exchange.
    package func endExchange(_ error: any Error, by cause: TransportError? = nil, at place: CallEvent.Place?) {
        guard isRecorded, let place else { return }
        let end = CallEvent.ExchangeEnd(error, bytesRead: cause?.response?.bodyState.size)
        if let response = cause?.response {
            recording?.receive(response, isOpen: true, at: place, credentials: credentialFields)
            countedCall?.receive(response, isStream: true, at: place)
        }
        recording?.endExchange(end, timings: cause?.timings, at: place)
        countedCall?.endExchange(end, timings: cause?.timings, at: place)
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
        if error is CancellationError {
            self = .cancelled
        } else if (error as? NetworkError)?.code == .deadlineExceeded {
            self = .deadline
        } else {
            self = .failed
        }
    }
}
