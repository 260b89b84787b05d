import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

/// A request as the origin received it.
struct SuiteRecord: Sendable {
    let number: Int
    let method: String
    let request: Headers
    /// The fields that must arrive unchanged.
    let response: [(name: String, value: String)]
}

/// Plays the steps of one test, and records the requests.
final class SuiteOrigin: Sendable {
    private let steps: [SuiteStep]
    private let id: String
    private let seen = Locked<[SuiteRecord]>([])

    init(_ test: SuiteCase, id: String) {
        steps = test.steps
        self.id = id
    }

    var records: [SuiteRecord] { seen.withLock { $0 } }

    /// The step of a request: the number it names, or else the next one.
    func step(of request: Headers) -> (number: Int, SuiteStep)? {
        let number = request["Req-Num"].flatMap { Int($0) } ?? records.count + 1
        return steps.indices.contains(number - 1) ? (number, steps[number - 1]) : nil
    }

    /// Replies to a request, at a number of milliseconds since 1970; the target is the path with the query.
    func reply(method: String, target: String, request: Headers, now: Int64) -> SuiteResponse {
        guard let (number, step) = step(of: request) else {
            return SuiteResponse(status: 409, headers: [:], body: "no such step")
        }
        let status = status(of: step, number, request, now: now, target: target)
        var headers: Headers = [
            "Server-Base-Url": target,
            "Server-Request-Count": String(records.count + 1),
            "Client-Request-Count": String(number),
            "Server-Now": String(now),
        ]
        var kept: [String] = []
        for field in step.list("response_headers") {
            guard let name = field[0]?.string, let json = field[1] else { continue }
            headers.append(name, step.value(name, json, now: now, base: target))
            if field[2]?.bool ?? true, !kept.contains(where: { Headers.matches($0, name) }) { kept.append(name) }
        }
        if !headers.contains("Content-Type") { headers.append("Content-Type", "text/plain") }
        let sent = kept.compactMap { name in headers.joined(name).map { (name: name, value: $0) } }
        let record = SuiteRecord(number: number, method: method, request: request, response: sent)
        let numbers = seen.withLock { records in
            records.append(record)
            return records.map { String($0.number) }.joined(separator: " ")
        }
        headers.append("Request-Numbers", numbers)
        let hasBody = status != 204 && status != 304 && method != "HEAD"
        return SuiteResponse(
            status: status,
            headers: headers,
            body: hasBody ? step.text("response_body") ?? id : "",
            isDisconnected: step.flag("disconnect") == true
        )
    }

    private func status(of step: SuiteStep, _ number: Int, _ request: Headers, now: Int64, target: String) -> Int {
        guard let type = step.expectedType, type.hasSuffix("validated") else { return step.status ?? 200 }
        guard number > 1 else { return 999 }
        let before = steps[number - 2]
        for (field, condition) in [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")] {
            guard let json = before.field(field) else { continue }
            let time = lastTime(number - 1) ?? now
            if request[condition] == before.value(field, json, now: time, base: target) { return 304 }
        }
        return 999
    }

    /// When an earlier step was played: the base of its relative dates.
    private func lastTime(_ number: Int) -> Int64? {
        let record = records.last { $0.number == number }
        return record?.response.first { Headers.matches($0.name, "Last-Modified") }.flatMap { field in
            HTTPDate.parse(field.value).map { date in
                let offset = steps[number - 1].field("Last-Modified")?.int64 ?? 0
                return Int64(date.timeIntervalSince1970 - Double(offset)) * 1000
            }
        }
    }
}
