import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension OutboxEngine {
    func begin(_ number: UInt64) -> DeliveryAttempt? {
        guard let entry = index[number], let log else { return nil }
        if entry.history.firstSent != nil, !entry.facts(at: time).mayRepeatUnknown {
            fail(number, .inDoubt("the server may have forgotten the key of the first attempt"))
            return nil
        }
        guard let request = request(of: entry, in: log) else { return nil }
        let firstSent = entry.history.firstSent ?? time.moment()
        var facts = entry.facts(at: time)
        facts.keyIsAlive = true
        guard noteSending(entry, firstSent, isRepeatable: facts.mayRepeatUnknown, in: log) else {
            postpone(number)
            return nil
        }
        index.update(number) { entry in
            entry.state = .sending
            entry.history.attempts += 1
            entry.history.firstSent = firstSent
            entry.history.wasTried = true
            entry.history.wait = nil
        }
        runningAttempts.cancels[number] = {}
        changed(number)
        publish()
        return DeliveryAttempt(
            entry: index[number] ?? entry,
            request: request,
            session: deliveryGate.session,
            isOwnerNamed: entry.owner == deliveryGate.namedOwner,
            isRepeatable: facts.mayRepeatUnknown,
            firstSentBefore: entry.history.firstSent
        )
    }

    /// The request; if it cannot be read now, the entry is postponed, and if it never can, the entry is dead.
    private func request(of entry: IndexedEntry, in log: OutboxLog) -> TransportRequest? {
        do {
            return try stored(entry.number, in: log).1
        } catch {
            if error.code == .notReady { postpone(entry.number) } else { fail(entry.number, .dead(error.message)) }
            return nil
        }
    }

    private func postpone(_ number: UInt64) {
        index.update(number) { $0.history.notBefore = time.monotonic() + options.firstBackoff }
    }

    private func noteSending(
        _ entry: IndexedEntry,
        _ firstSent: WallMoment,
        isRepeatable: Bool,
        in log: OutboxLog
    ) -> Bool {
        let mark = EntryMark(attempts: entry.history.attempts + 1, firstSent: firstSent)
        do throws(OutboxError) {
            try log.append([LogRecord(kind: .sending, number: entry.number, payload: mark.payload)])
            syncing.marks += 1
            // A request that must not be sent twice is recorded durably before its first byte leaves.
            if !isRepeatable { try syncNow() }
            return true
        } catch {
            report(.storage("\(error)"))
            // A full disk must not stop the outbox from emptying, if a repetition does no harm.
            return isRepeatable
        }
    }

    /// The request of an entry, verified against its checksum.
    func stored(_ number: UInt64, in log: OutboxLog) throws(OutboxError) -> (EntryHead, TransportRequest) {
        let record: LogRecord
        do throws(OutboxError) { record = try log.entry(number) } catch {
            guard error.code == .damaged else { throw OutboxError(.notReady, error.message) }
            report(.damaged(places: 1, bytes: 0))
            throw error
        }
        guard let (head, bodyStart) = EntryHead.decode(record.payload), let url = URL(string: head.url) else {
            throw OutboxError(.damaged, "the stored request cannot be read")
        }
        var body = RequestBody.empty
        if let blob = head.blob {
            body = try checkedBlob(blob)
        } else if head.hasBody {
            body = .bytes(Data(record.payload[bodyStart...]))
        }
        let method = HTTPMethod(rawValue: head.method)
        var request = TransportRequest(method: method, url: url, headers: head.fields, body: body)
        if head.revision != options.revision, let migrate = options.migrate {
            guard let migrated = migrate(OutboxRequest(request), head.revision) else {
                throw OutboxError(.notDelivered, "this version of the app discards it")
            }
            request = migrated.transportRequest
        }
        if let key = head.key { request.headers["Idempotency-Key"] = key }
        return (head, request)
    }

    /// Stores how to cancel an attempt in flight; one that has ended is cancelled at once.
    func register(_ attempt: DeliveryAttempt, cancel: @escaping @Sendable () -> Void) {
        if runningAttempts.cancels[attempt.number] == nil { return cancel() }
        runningAttempts.cancels[attempt.number] = cancel
    }

    func verdict(on outcome: DeliveryOutcome, of attempt: DeliveryAttempt) -> DeliveryRules.Verdict {
        guard let entry = index[attempt.number] else { return .dead("it is gone") }
        let (rules, random) = (DeliveryRules(options: options), deliveryGate.random(entry))
        return rules.verdict(on: outcome, entry.facts(at: time), random: random)
    }

    func finish(
        _ attempt: DeliveryAttempt,
        _ verdict: DeliveryRules.Verdict,
        _ response: TransportResponse?,
        text: String? = nil
    ) {
        runningAttempts.cancels[attempt.number] = nil
        runningAttempts.wakeWaiters()
        defer {
            publish()
            wakeSignal.raise(for: attempt.entry.queue)
        }
        guard let entry = index[attempt.number], entry.state == .sending else { return }
        // The host is reachable again: wake all entries that wait for it.
        if response != nil, deliveryGate.reached(entry) { wakeSignal.raise() }
        let status = response?.status
        switch verdict {
        case .delivered(let status):
            append(LogRecord(kind: .delivered, number: attempt.number, payload: EntryMark(status: status).payload))
            published.totals.delivered += 1
            end(attempt.number, .delivered(status: status), response)
        case .dead(let text): fail(attempt.number, .dead(text), status)
        case .inDoubt(let text): fail(attempt.number, .inDoubt(text), status)
        case .later(let pause, let isKnownHarmless):
            let text = text ?? (status == nil ? "no response" : nil)
            wait(attempt, pause, status, text, counts: true, isKnownHarmless: isKnownHarmless)
        case .whenConnected(let text):
            deliveryGate.missed(entry, at: time.monotonic(), options)
            wait(attempt, .zero, status, text)
        case .heldBack(let pause): wait(attempt, pause, status, "held back")
        case .paused(let text):
            deliveryGate.pause(entry, text, refusedWith: attempt.session)
            wait(attempt, .zero, status, text)
        }
        if syncing.marks >= 64 { try? syncNow() }
    }

    private func wait(
        _ attempt: DeliveryAttempt,
        _ pause: Duration,
        _ status: Int?,
        _ text: String?,
        counts: Bool = false,
        isKnownHarmless: Bool = true
    ) {
        let wall = time.wall
        index.update(attempt.number) { entry in
            entry.state = .waiting
            if !counts { entry.history.attempts = attempt.entry.history.attempts - 1 }
            if isKnownHarmless { entry.history.firstSent = attempt.firstSentBefore }
            entry.history.lastStatus = status
            entry.history.lastError = text
            entry.history.notBefore = time.monotonic() + pause
            entry.history.wait =
                pause > .zero ? (wall.addingReportingOverflow(pause.bounded.wholeMilliseconds).partialValue, wall) : nil
        }
        guard let entry = index[attempt.number] else { return }
        append(LogRecord(kind: .failed, number: attempt.number, payload: entry.history.mark.payload))
        changed(attempt.number)
    }
}

struct DeliveryAttempt: Sendable {
    /// The entry, in flight: its attempts include this one.
    let entry: IndexedEntry
    let request: TransportRequest
    let session: Partition.Session?
    let isOwnerNamed: Bool
    /// Whether it may be sent again when its outcome is unknown.
    let isRepeatable: Bool
    /// The entry's value before this attempt, restored if it turns out not to count.
    let firstSentBefore: WallMoment?

    var number: UInt64 { entry.number }
}
