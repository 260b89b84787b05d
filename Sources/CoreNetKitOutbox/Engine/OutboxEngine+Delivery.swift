import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// One attempt that is to be made.
struct DeliveryJob: Sendable {
    let number: UInt64
    let entry: OutboxEntry
    let request: TransportRequest
    /// Whose tokens it needs, as it is stored.
    let owner: String?
    /// The login whose tokens the client had when its turn came.
    let session: Partition.Session?
    /// Whether the app has said itself that the tokens are that owner's.
    let isOwnerNamed: Bool
    /// Whether it may be sent again when its outcome is not known.
    let isRepeatable: Bool
    /// Whether somebody carries it out, rather than a client.
    let isErrand: Bool
    /// What it was before this attempt, for an attempt that turns out to be none.
    let attemptsBefore: Int
    let firstSentBefore: WallMoment?
}

extension OutboxEngine {
    enum Step: Sendable {
        case job(DeliveryJob)
        /// Nothing to do before a time, or before the bell rings.
        case idle(until: Duration?)
    }

    /// The next attempt, or when to ask again.
    func next() -> Step {
        guard role == .delivering || claim() else { return .idle(until: pollTime) }
        guard inFlight.count < options.concurrency else { return .idle(until: pollTime) }
        wakeQueues()
        endExpired()
        while let queue = turns.next(at: time.monotonic()) {
            switch head(of: queue) {
            case .ready(let number):
                if let job = begin(number) { return .job(job) }
                turns.wake(queue)
            case .later(let time): turns.sleep(queue, until: time)
            case .blocked: break
            }
        }
        idle()
        return .idle(until: earliest(turns.earliest, pollTime))
    }

    /// Looks at the queues that the bell was rung for; at all of them where it was rung for all.
    private func wakeQueues() {
        let rung = bell.takeRung()
        for queue in rung.queues.elements { turns.wake(queue) }
        if rung.isForAll { for queue in box.order { turns.wake(queue) } }
    }

    /// Ends what has expired, whosever it is and whatever it waits for.
    private func endExpired() {
        while let entry = box.firstToExpire(), !undurable.contains(entry.number), expire(entry) {}
    }

    /// Ends an entry if its time is over; whether it was.
    private func expire(_ entry: BoxEntry) -> Bool {
        // Somebody carries it out just now.
        if entry.isErrand, !errands.isReady(entry.kind) { return false }
        guard entry.expiry(at: time) == .yes else { return false }
        append(LogRecord(kind: .expired, number: entry.number))
        report(.expired(entry.id))
        end(entry.number, .expired)
        bell.ring(for: entry.queue)
        return true
    }

    private var pollTime: Duration? {
        guard let interval = options.pollInterval, !isSuspended || role == .closed else { return nil }
        return time.monotonic() + interval
    }

    private func earliest(_ left: Duration?, _ right: Duration?) -> Duration? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// Looks for entries of other processes, and tries to become the one that delivers.
    private func claim() -> Bool {
        guard !isSuspended else { return false }
        try? ready()
        if role == .enqueuing { try? takeOver() }
        return role == .delivering
    }

    private func idle() {
        _ = try? adoptInboxes()
        if unsyncedMarks > 0 { try? syncNow() }
        compactIfWorthwhile()
    }

    private enum QueueHead { case ready(UInt64), later(Duration), blocked }

    private func head(of queue: String) -> QueueHead {
        // One of a queue at a time, whosever it is.
        guard box.queues[queue]?.sending == nil else { return .blocked }
        while let (entry, isBehindLetter) = box.first(in: queue, of: isPresent) {
            if isBehindLetter, options.afterFailure == .block { return .blocked }
            // Who waits for the disk rings when it is there.
            if undurable.contains(entry.number) { return .blocked }
            if entry.isErrand, !errands.isReady(entry.kind) { return .blocked }
            if expire(entry) { continue }
            return turn(of: entry)
        }
        return .blocked
    }

    /// When the first entry of a queue may go.
    private func turn(of entry: BoxEntry) -> QueueHead {
        let now = time.monotonic()
        for length in [entry.expiry(at: time), entry.keyEnd(at: time)] {
            if case .unknown(let pause) = length { return .later(now + .milliseconds(pause)) }
        }
        if paused[Scope(host: entry.host, owner: entry.owner)] != nil { return .blocked }
        // Whoever changes that rings.
        if unmet(of: entry) != nil { return .blocked }
        let time = max(entry.notBefore, hosts[entry.host]?.notBefore ?? .zero)
        return time > now ? .later(time) : .ready(entry.number)
    }

    /// Reads and checks what is to be sent, and notes that it is on its way.
    func begin(_ number: UInt64) -> DeliveryJob? {
        guard let entry = box[number], let log else { return nil }
        if entry.firstSent != nil, !entry.facts(at: time).mayRepeatUnknown {
            settle(number, .inDoubt("the server may have forgotten the key of the first attempt"))
            return nil
        }
        let request: TransportRequest
        do {
            request = try stored(number, in: log).1
        } catch {
            guard error.code != .notReady else {
                box.update(number) { $0.notBefore = time.monotonic() + options.firstBackoff }
                return nil
            }
            settle(number, .dead(error.message))
            return nil
        }
        let firstSent = entry.firstSent ?? time.moment()
        let mark = EntryMark(attempts: entry.attempts + 1, firstSent: firstSent)
        var facts = entry.facts(at: time)
        facts.keyIsAlive = true
        do throws(LogError) {
            try log.append([LogRecord(kind: .sending, number: number, payload: mark.payload)])
            unsyncedMarks += 1
            // What must not be sent twice is noted for good before its first byte leaves.
            if !facts.mayRepeatUnknown { try syncNow() }
        } catch {
            report(.storage("\(error)"))
            // A full disk must not keep a box from getting empty, where a repetition does no harm.
            if !facts.mayRepeatUnknown {
                box.update(number) { $0.notBefore = time.monotonic() + options.firstBackoff }
                return nil
            }
        }
        box.update(number) { entry in
            entry.state = .sending
            entry.attempts += 1
            entry.firstSent = firstSent
            entry.wasTried = true
            entry.wait = nil
        }
        inFlight[number] = {}
        changed(number)
        publish()
        return DeliveryJob(
            number: number,
            entry: box[number]?.summary ?? entry.summary,
            request: request,
            owner: entry.owner,
            session: session,
            isOwnerNamed: entry.owner == namedOwner,
            isRepeatable: facts.mayRepeatUnknown,
            isErrand: entry.isErrand,
            attemptsBefore: entry.attempts,
            firstSentBefore: entry.firstSent
        )
    }

    /// The request of an entry, checked against what was written.
    func stored(_ number: UInt64, in log: OutboxLog) throws(OutboxError) -> (EntryHead, TransportRequest) {
        let record: LogRecord
        do throws(LogError) { record = try log.entry(number) } catch {
            if case .damaged = error {
                report(.damaged(places: 1, bytes: 0))
                throw OutboxError(.damaged, "the stored request is damaged")
            }
            throw OutboxError(.notReady, OutboxError(error).message)
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
        var request = OutboxRequest(
            method: HTTPMethod(rawValue: head.method),
            url: url,
            headers: head.fields,
            body: body
        )
        if head.revision != options.revision, let migrate = options.migrate {
            guard let migrated = migrate(request, head.revision) else {
                throw OutboxError(.notDelivered, "this version of the app discards it")
            }
            request = migrated
        }
        if let key = head.key { request.headers["Idempotency-Key"] = key }
        return (
            head,
            TransportRequest(method: request.method, url: request.url, headers: request.headers, body: request.body)
        )
    }

    /// Remembers how to end an attempt that is on its way.
    func register(_ job: DeliveryJob, cancel: @escaping @Sendable () -> Void) {
        guard inFlight[job.number] != nil else { return cancel() }
        inFlight[job.number] = cancel
    }

    func verdict(on outcome: DeliveryOutcome, of job: DeliveryJob) -> DeliveryRules.Verdict {
        guard let entry = box[job.number] else { return .dead("it is gone") }
        return options.rules.verdict(on: outcome, entry.facts(at: time), random: random(entry))
    }

    /// Notes what an attempt has come to.
    func finish(
        _ job: DeliveryJob,
        _ verdict: DeliveryRules.Verdict,
        _ response: TransportResponse?,
        text: String? = nil
    ) {
        inFlight[job.number] = nil
        defer {
            for waiter in inFlightWaiters { waiter.resume() }
            inFlightWaiters = []
            publish()
            bell.ring(for: job.entry.queue)
        }
        guard let entry = box[job.number], entry.state == .sending else { return }
        // The host is there again: for all who wait for it.
        if response != nil, hosts.removeValue(forKey: entry.host) != nil { bell.ring() }
        let status = response?.status
        switch verdict {
        case .delivered(let status):
            append(LogRecord(kind: .delivered, number: job.number, payload: EntryMark(status: status).payload))
            totals.delivered += 1
            end(job.number, .delivered(status: status), response)
        case .dead(let text): settle(job.number, .dead(text), status)
        case .inDoubt(let text): settle(job.number, .inDoubt(text), status)
        case .later(let pause, let isKnownHarmless):
            let text = text ?? (status == nil ? "no response" : nil)
            wait(job, pause, status, text: text, counts: true, isKnownHarmless)
        case .whenConnected(let text):
            let failures = (hosts[entry.host]?.failures ?? 0) + 1
            let cap = min(options.longestBackoff, .seconds(60))
            let ceiling = options.firstBackoff.doubled(failures - 1, upTo: cap)
            let pause = ceiling * (0.5 + random(entry) / 2)
            hosts[entry.host] = HostWait(notBefore: time.monotonic() + pause, failures: failures)
            wait(job, .zero, status, text: text, counts: false, true)
        case .heldBack(let pause): wait(job, pause, status, text: "held back", counts: false, true)
        case .paused(let text):
            // Refused with a credential that was replaced meanwhile, it is tried with that one.
            if job.session.map({ session?.hasSameCredential(as: $0) ?? false }) ?? true {
                paused[Scope(host: entry.host, owner: entry.owner)] = text
            }
            wait(job, .zero, status, text: text, counts: false, true)
        }
        if unsyncedMarks >= 64 { try? syncNow() }
    }

    private func wait(
        _ job: DeliveryJob,
        _ pause: Duration,
        _ status: Int?,
        text: String?,
        counts: Bool,
        _ isKnownHarmless: Bool
    ) {
        let wall = time.wall
        box.update(job.number) { entry in
            entry.state = .waiting
            if !counts { entry.attempts = job.attemptsBefore }
            if isKnownHarmless { entry.firstSent = job.firstSentBefore }
            entry.lastStatus = status
            entry.lastError = text
            entry.notBefore = time.monotonic() + pause
            entry.wait =
                pause > .zero ? (wall.addingReportingOverflow(pause.bounded.wholeMilliseconds).partialValue, wall) : nil
        }
        guard let entry = box[job.number] else { return }
        append(LogRecord(kind: .failed, number: job.number, payload: entry.mark.payload))
        changed(job.number)
    }

    /// The same for the same seed, entry and attempt, in whatever order they end.
    private func random(_ entry: BoxEntry) -> Double {
        var value = seed &+ entry.number &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(entry.attempts) &* 0xBF58_476D_1CE4_E5B9
        value &+= UInt64(hosts[entry.host]?.failures ?? 0) &* 0x94D0_49BB_1331_11EB
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((value ^ value >> 31) >> 11) / Double(1 << 53)
    }
}
