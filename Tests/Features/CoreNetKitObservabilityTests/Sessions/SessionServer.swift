import CoreNetKitObservability
import TestSupport

/// A server that says who it took the caller for, and finds out whose call it was.
struct SessionServer: Transport {
    let record: VisitRecord
    let dice: VisitDice
    let views: SessionViews

    var capabilities: TransportCapabilities { [] }

    func clientIdentity(for url: URL) -> String? { "" }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        views.note(traceparent: request.headers["traceparent"], record)
        await dice.pause()
        guard let token = request.headers["Authorization"]?.dropFirst("Bearer ".count), let login = Visit(token),
            let renewal = token.split(separator: ".").last.flatMap({ Int($0) })
        else {
            record.problem("a request without a token")
            return reply(400, "", request)
        }
        check(request, login)
        if renewal < record.renewal(of: login) { return reply(401, "", request) }
        if dice.rolls(oneIn: 8) { record.expire(login) }
        if dice.rolls(oneIn: 5) { return reply(503, "", request) }
        await dice.pause()
        var response = reply(200, "[\(login.text).\(request.url.lastPathComponent)]", request)
        response.headers["Cache-Control"] = "max-age=600"
        response.headers["Set-Cookie"] = "s=\(login.text); Path=/; Max-Age=1000"
        if dice.rolls(oneIn: 2) { response.headers["Set-Cookie"] = nil }
        return response
    }

    private func check(_ request: TransportRequest, _ login: Visit) {
        let caller = request.headers["X-Session"] ?? "nobody knows whom"
        if caller != login.text { record.problem("a call of \(caller) is sent with the token of \(login.text)") }
        guard let cookie = request.headers["Cookie"] else { return }
        guard let old = Visit(cookie.dropFirst(2)), record.mayBeSeen(old, by: login, \.cookies) else {
            return record.problem("\(login.text) sends the cookie \(cookie)")
        }
    }

    private func reply(_ status: Int, _ text: String, _ request: TransportRequest) -> TransportResponse {
        TransportResponse(status: status, headers: [:], body: .bytes(Data(text.utf8)), url: request.url)
    }
}

/// What the views of a schedule saw, beside what its callers and its server saw.
final class SessionViews: Sendable {
    /// What the policies that make calls wait, double or refuse them have done.
    struct Policies: Sendable {
        var places = 0, slots = 0, hedges = 0, refusals = 0

        mutating func add(_ other: Policies) {
            places += other.places
            slots += other.slots
            hedges += other.hedges
            refusals += other.refusals
        }

        mutating func add(_ event: CallEvent.Kind) {
            switch event {
            case .waitStarted(let wait) where wait.kind == .concurrency: places += 1
            case .waitStarted(let wait) where wait.kind == .rate: slots += 1
            case .hedgeStarted: hedges += 1
            default: break
            }
        }
    }

    let recorder = CallRecorder(keep: .max, byteLimit: .max)
    let metrics = CallMetrics()
    private let outcomes = Locked<[String: Int]>([:])
    private let spans = Locked<Set<String>>([])

    /// How a call ended for its caller.
    func note(_ error: (any Error)?) {
        let outcome =
            switch error {
            case nil: "completed"
            case is CancellationError: "cancelled"
            case let error?: "\((error as? NetworkError)?.code, default: "\(error)")"
            }
        outcomes.withLock { $0[outcome, default: 0] += 1 }
    }

    /// The position in its trace that a request says, which no other one has.
    func note(traceparent: String?, _ record: VisitRecord) {
        guard let traceparent else { return record.problem("a request without a trace") }
        let isNew = spans.withLock { $0.insert(traceparent).inserted }
        if !isNew { record.problem("two requests have the span \(traceparent)") }
    }

    /// What was done until now.
    var policies: Policies {
        var policies = Policies()
        for event in recorder.records.flatMap(\.events) { policies.add(event.kind) }
        policies.refusals = outcomes.withLock { $0["\(NetworkError.Code.circuitOpen)"] ?? 0 }
        return policies
    }

    /// Compares, when all calls have ended.
    func check(_ client: Client, _ record: VisitRecord) async {
        // A request that goes on for others keeps the record of its call, also when all callers have left it.
        let calls = outcomes.withLock { $0.values.reduce(0, +) }
        await until { recorder.records.count >= calls }
        await client.flushRecords()
        let records = recorder.records
        var told: [String: Int] = [:]
        for record in records {
            switch record.outcome {
            case .completed: told["completed", default: 0] += 1
            case .cancelled: told["cancelled", default: 0] += 1
            case .failed(let failure): told["\(failure.code)", default: 0] += 1
            }
        }
        let seen = outcomes.withLock { $0 }
        if told != seen { record.problem("records tell \(told), callers saw \(seen)") }
        for (outcome, codes) in [
            "completed": seen["completed"] ?? 0, "cancelled": seen["cancelled"] ?? 0,
            "failed": seen.filter { $0.key != "completed" && $0.key != "cancelled" }.values.reduce(0, +),
        ] where codes > 0 {
            let line = "corenetkit_client_calls_total{outcome=\"\(outcome)\"} \(codes)\n"
            if !metrics.prometheus.contains(line) { record.problem("metrics lack \(line)") }
        }
        // A call that ended before its first node has none.
        let traces = records.compactMap(\.trace).map { "\($0.traceID)" }
        if Set(traces).count != traces.count { record.problem("calls share one of the traces \(traces)") }
        if records.contains(where: { $0.trace == nil && $0.exchangeCount > 0 }) {
            record.problem("a request of a call without a trace")
        }
        let exchanges = records.reduce(0) { $0 + $1.exchangeCount }
        let sent = spans.withLock { $0.count }
        if exchanges != sent { record.problem("records tell \(exchanges) requests, the server got \(sent)") }
    }
}
