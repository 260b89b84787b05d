import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Sends the request of a delivery through the nodes between the outbox and the wire.
typealias OutboxSender = @Sendable (DeliveryAttempt) async throws -> TransportResponse

extension Outbox {
    /// Delivers until the task is cancelled, the deadline has passed, or, on request, every entry left needs a decision.
    ///
    /// Without a client the session is left to ``switchOwner(to:others:)``. With `stopsWhenDone` it throws
    /// `deliveredElsewhere` when another process still has the folder at the deadline, or at once without a deadline.
    func deliver(
        until deadline: Duration?,
        stopsWhenDone: Bool,
        for client: ClientDelivery? = nil,
        _ send: @escaping OutboxSender
    ) async throws {
        let listener = Task { [engine] in await client?.endHostWaits(of: engine) }
        defer { listener.cancel() }
        // Deliveries serve all callers, so the deadline of the call that runs the outbox does not apply to them.
        try await CallDeadline.outside {
            try await deliverAll(until: deadline, stopsWhenDone: stopsWhenDone, session: client?.session, send)
        }
    }

    private func deliverAll(
        until deadline: Duration?,
        stopsWhenDone: Bool,
        session: (@Sendable () -> Partition.Session)?,
        _ send: @escaping OutboxSender
    ) async throws {
        let engine = await opened
        try await engine.beginRunning()
        let watch = Task { await engine.watchConditions() }
        defer { watch.cancel() }
        let failure = await withDiscardingTaskGroup(returning: (any Error)?.self) { group in
            while !Task.isCancelled {
                if let deadline, engine.time.monotonic() >= deadline {
                    defer { group.cancelAll() }
                    return stopsWhenDone ? await engine.problem(mayWait: false) : nil
                }
                await engine.storeDueJobs()
                if let session { await engine.set(session()) }
                switch await engine.next() {
                case .attempt(let attempt) where attempt.entry.isJob: group.addTask { await self.carryOut(attempt) }
                case .attempt(let attempt): group.addTask { await self.perform(attempt, send) }
                case .idle(let time):
                    // An attempt may have ended because of a new user; what is left depends on who that is.
                    if stopsWhenDone, let session { await engine.set(session()) }
                    if stopsWhenDone, let problem = await engine.problem(mayWait: deadline != nil) { return problem }
                    if stopsWhenDone, await engine.isDone { return nil }
                    let wake = time.map { min($0, deadline ?? $0) } ?? deadline
                    await engine.wakeSignal.wait(until: wake, on: engine.time)
                }
            }
            group.cancelAll()
            return nil
        }
        await engine.endRunning()
        if let failure { throw failure }
    }

    private func carryOut(_ attempt: DeliveryAttempt) async {
        let outcome = await result(of: attempt) { [engine] in await engine.jobs.carryOut(attempt.entry.kind) }
        await engine.finish(attempt, outcome)
    }

    /// The result of an attempt's work, which the engine can cancel, too.
    private func result<Value: Sendable>(
        of attempt: DeliveryAttempt,
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let task = Task { await work() }
        await engine.register(attempt) { task.cancel() }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// The response with its content; if reading it fails, with that failure, because the status still counts.
    private static func collected(_ head: TransportResponse) async throws -> TransportResponse {
        var response = head
        do { response.body = .bytes(try await head.body.collect()) } catch {
            guard let failure = (error as? NetworkError)?.cause as? TransportError ?? error as? TransportError else {
                throw error
            }
            response.body = .bytes(Data())
            response.contentFailure = failure
        }
        return response
    }

    private func perform(_ attempt: DeliveryAttempt, _ send: @escaping OutboxSender) async {
        let (outcome, response) = await result(of: attempt) { [engine] () -> (DeliveryOutcome, TransportResponse?) in
            do {
                let response = try await Self.collected(send(attempt))
                return (DeliveryOutcome(response, now: engine.time.date), response)
            } catch {
                return DeliveryOutcome.of(error, now: engine.time.date)
            }
        }
        let verdict = await engine.verdict(on: outcome, of: attempt)
        guard case .delivered(let status) = verdict, let response,
            let handler = await engine.handler(of: attempt.entry.kind)
        else { return await engine.finish(attempt, verdict, response) }
        let state = OutboxEntry.State.delivered(status: status)
        let delivery = OutboxDelivery(entry: attempt.entry.summary, state: state, response: response)
        // Before it counts as delivered, so that a response is not lost with the process; unless a repetition would harm.
        if !attempt.isRepeatable { await engine.finish(attempt, verdict, response) }
        await handler(delivery)
        if attempt.isRepeatable { await engine.finish(attempt, verdict, response) }
    }
}

extension OutboxEngine {
    /// Why this process does not deliver, because entries that it cannot see are not an empty outbox; `nil` if it delivers,
    /// or may wait for the process that has the folder.
    func problem(mayWait: Bool) -> OutboxError? {
        do throws(OutboxError) {
            try requireReady()
            if folderState.role == .enqueuing, !folderState.isSuspended, mayWait { return nil }
            _ = try controlled()
            return nil
        } catch {
            return error
        }
    }

    /// Whether nothing can be done without a decision or an event outside; valid after ``next()``: by then, everything
    /// that waits for a time, a connection or a response has registered its wake-up.
    var isDone: Bool {
        runningAttempts.cancels.isEmpty && folderState.role == .delivering && syncing.unsynced.isEmpty && hasConditions
            && !wakeSignal.isRaised && schedule.isAsleep
    }

    /// Retries all unreachable servers; waits that a server asked for remain.
    func networkReturned() {
        deliveryGate.endHostWaits()
        wakeSignal.raise()
    }
}

extension DeliveryOutcome {
    /// The outcome of an attempt that threw, and the response if its head arrived.
    static func of(_ error: any Error, now: Date) -> (DeliveryOutcome, TransportResponse?) {
        switch error {
        case let error as NetworkError: DeliveryOutcome.of(error, now: now)
        case let error as TransportError:
            error.response.map { (DeliveryOutcome($0, now: now), $0) } ?? (DeliveryOutcome(error), nil)
        case is CancellationError: (.unknown("cancelled while it was sent"), nil)
        default: (.unknown("\(type(of: error))"), nil)
        }
    }
}
