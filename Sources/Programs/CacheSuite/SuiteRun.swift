import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson

/// Why a test did not pass.
struct SuiteFailure: Error, Sendable {
    /// Whether a step before the tested one failed.
    let isSetup: Bool
    let text: String
}

/// A response as the origin sends it, or as the client received it.
struct SuiteResponse: Sendable {
    let status: Int
    let headers: Headers
    let body: String
    var isDisconnected = false
}

/// Plays one test through a client and checks the responses.
struct SuiteRun: Sendable {
    let test: SuiteCase
    let id: String
    /// The part of the URL before `/test/…`.
    let base: String
    let origin: SuiteOrigin
    let send: @Sendable (TransportRequest, _ isRevalidation: Bool) async throws -> TransportResponse
    let pause: @Sendable () async throws -> Void

    func result() async -> SuiteResult {
        do {
            return .success(try await play())
        } catch {
            return .failure(error as? SuiteFailure ?? SuiteFailure(isSetup: true, text: "\(error)"))
        }
    }

    private func play() async throws {
        var responses: [SuiteResponse] = []
        for (index, step) in test.steps.enumerated() {
            let response = try await play(step, number: index + 1, after: responses.last)
            responses.append(response)
            try check(response, step, number: index + 1)
            if step.has("pause_after") { try await pause() }
        }
        try checkOrigin(responses)
    }

    private func play(_ step: SuiteStep, number: Int, after previous: SuiteResponse?) async throws -> SuiteResponse {
        guard let url = URL(string: step.url(base: base, id: id)) else {
            throw SuiteFailure(isSetup: true, text: "no URL")
        }
        var request = TransportRequest(url: url)
        if let method = step.text("request_method") { request.method = HTTPMethod(rawValue: method) }
        if let body = step.text("request_body") { request.body = .bytes(Data(body.utf8)) }
        let serverTime = previous?.headers["Server-Now"].flatMap { Int64($0) } ?? 0
        for field in step.list("request_headers") {
            guard let name = field[0]?.string, let json = field[1] else { continue }
            request.headers.append(name, step.value(name, json, now: serverTime, base: ""))
        }
        request.headers.append("Test-ID", id)
        request.headers.append("Req-Num", String(number))
        do {
            let response = try await send(request, step.text("cache") == "no-cache")
            let body = try await response.body.collect()
            let text = String(decoding: body, as: UTF8.self)
            return SuiteResponse(status: response.status, headers: response.headers, body: text)
        } catch let error as TransportError {
            // Tests of closed connections expect this if nothing stale may be used.
            if step.has("expected_status"), step.json["expected_status"]?.isNull == true {
                return SuiteResponse(status: 502, headers: [:], body: "")
            }
            throw SuiteFailure(isSetup: step.isSetup("expected_type"), text: "request \(number): \(error.code)")
        }
    }

    private func require(_ isMet: Bool, _ isSetup: Bool, _ text: String) throws {
        if !isMet { throw SuiteFailure(isSetup: isSetup, text: text) }
    }

    private func check(_ response: SuiteResponse, _ step: SuiteStep, number: Int) throws {
        let numbers = (response.headers["Request-Numbers"] ?? "").split(separator: " ")
        try require(Set(numbers).count == numbers.count, true, "request \(number) was sent twice")
        let count = response.headers["Server-Request-Count"].flatMap { Int($0) }
        let isSetup = step.isSetup("expected_type")
        if step.expectedType == "cached" {
            let isMet = count.map { $0 < number } ?? (response.status == 304)
            try require(isMet, isSetup, "response \(number) does not come from the cache")
        } else if step.expectedType == "not_cached" {
            try require(count == number, isSetup, "response \(number) comes from the cache")
        }
        try checkStatus(response, step, number)
        try checkFields(response, step, number)
        try checkBody(response, step, number)
    }

    private func checkStatus(_ response: SuiteResponse, _ step: SuiteStep, _ number: Int) throws {
        let text = "response \(number) has the status \(response.status)"
        if step.has("expected_status") {
            guard let expected = step.json["expected_status"]?.int else { return }
            try require(response.status == expected, step.isSetup("expected_status"), text)
        } else if step.status == nil, response.status == 999 {
            try require(false, step.isSetup("expected_type"), "request \(number) should have had a condition")
        } else {
            try require(response.status == step.status ?? 200, true, text)
        }
    }

    private func checkFields(_ response: SuiteResponse, _ step: SuiteStep, _ number: Int) throws {
        let isSetup = step.isSetup("expected_response_headers")
        for expected in step.list("expected_response_headers") {
            guard let name = expected.string ?? expected[0]?.string else { continue }
            let value = response.headers.joined(name)
            let isMet: Bool
            if expected.string != nil {
                isMet = value != nil
            } else if expected[1]?.string == ">", let limit = expected[2]?.int {
                isMet = value.flatMap { Int($0) }.map { $0 > limit } ?? false
            } else if expected[1]?.string == "=", let other = expected[2]?.string {
                isMet = value != nil && value == response.headers.joined(other)
            } else {
                let now = response.headers["Server-Now"].flatMap { Int64($0) } ?? 0
                let base = response.headers["Server-Base-Url"] ?? ""
                isMet = expected[1].map { value == step.value(name, $0, now: now, base: base) } ?? false
            }
            try require(isMet, isSetup, "response \(number) has \(name): \(value ?? "nothing")")
        }
        for missing in step.list("expected_response_headers_missing") {
            guard let name = missing.string ?? missing[0]?.string,
                let value = response.headers.joined(name)
            else { continue }
            let isThere = missing.string != nil || missing[1]?.string.map { value.contains($0) } ?? false
            try require(!isThere, step.isSetup("expected_response_headers_missing"), "response \(number) has \(name)")
        }
    }

    private func checkBody(_ response: SuiteResponse, _ step: SuiteStep, _ number: Int) throws {
        if step.flag("check_body") == false { return }
        let text = "response \(number) has the body \"\(response.body)\""
        if step.has("expected_response_text") {
            guard let expected = step.text("expected_response_text") else { return }
            try require(response.body == expected, step.isSetup("expected_response_text"), text)
        } else if let body = step.text("response_body") {
            try require(response.body == body, true, text)
        } else if ![204, 304].contains(response.status), step.text("request_method") != "HEAD" {
            try require(response.body == id, true, text)
        }
    }

    /// Compares the requests that the origin received with the expected ones.
    private func checkOrigin(_ responses: [SuiteResponse]) throws {
        let records = origin.records
        var position = 0
        for (index, step) in test.steps.enumerated() where step.expectedType != "cached" {
            let record = records.indices.contains(position) ? records[position] : nil
            position += 1
            try check(record, step, number: index + 1)
            for field in record?.response ?? [] where !Headers.matches(field.name, "Date") {
                let value = responses[index].headers.joined(field.name)
                let text = "response \(index + 1) has \(field.name): \(value ?? "nothing"), not \(field.value)"
                try require(value == field.value, true, text)
            }
        }
    }

    private func check(_ record: SuiteRecord?, _ step: SuiteStep, number: Int) throws {
        let isSetup = step.isSetup("expected_type")
        if step.expectedType == "not_cached" {
            try require(record?.number == number, isSetup, "request \(number) did not reach the origin")
        }
        let conditionFields = ["etag_validated": "If-None-Match", "lm_validated": "If-Modified-Since"]
        if let field = step.expectedType.flatMap({ conditionFields[$0] }) {
            try require(record?.request.contains(field) == true, isSetup, "request \(number) has no \(field)")
        }
        for expected in step.list("expected_request_headers") {
            guard let name = expected.string ?? expected[0]?.string else { continue }
            let value = record.flatMap { $0.request.joined(name) }
            let isMet = expected.string != nil ? value != nil : value == expected[1]?.string
            let text = "request \(number) has \(name): \(value ?? "nothing")"
            try require(isMet, step.isSetup("expected_request_headers"), text)
        }
        if let method = step.text("expected_method") {
            let text = "request \(number) had the method \(record?.method ?? "none")"
            try require(record?.method == method, step.isSetup("expected_method"), text)
        }
    }
}

typealias SuiteResult = Result<Void, SuiteFailure>

/// The results of all tests, as a table.
struct SuiteReport: Sendable {
    let suites: [Suite]
    let results: [String: SuiteResult]

    func passed(_ kind: SuiteCase.Kind, in suite: Suite? = nil) -> (passed: Int, total: Int) {
        let cases = (suite.map { [$0] } ?? suites).flatMap(\.cases).filter { $0.kind == kind }
        return (cases.filter { isPassed($0.id) }.count, cases.count)
    }

    private func isPassed(_ id: String) -> Bool {
        if case .success = results[id] { true } else { false }
    }

    /// One line per suite, the sums, and the names of tests that did not pass.
    var text: String {
        var lines = ["| suite | required | optimal | checks |", "|---|---|---|---|"]
        for suite in suites {
            let cells = SuiteCase.Kind.allCases.map { kind in
                let (count, all) = passed(kind, in: suite)
                return all == 0 ? "–" : "\(count)/\(all)"
            }
            lines.append("| \(suite.id) | \(cells.joined(separator: " | ")) |")
        }
        let sums = SuiteCase.Kind.allCases.map { passed($0) }.map { "**\($0.passed)/\($0.total)**" }
        lines.append("| **all** | \(sums.joined(separator: " | ")) |")
        for kind in SuiteCase.Kind.allCases {
            lines.append("")
            lines.append(kind == .check ? "checks that fail:" : "\(kind.rawValue), not passed:")
            for test in suites.flatMap(\.cases) where test.kind == kind {
                let failedNeeds = test.needs.filter { !isPassed($0) }
                let note = failedNeeds.isEmpty ? "" : " [needs \(failedNeeds.joined(separator: ", "))]"
                switch results[test.id] {
                case .success: continue
                case .failure(let failure):
                    lines.append("  \(test.id): \(failure.isSetup ? "setup: " : "")\(failure.text)\(note)")
                case nil: lines.append("  \(test.id): was not run")
                }
            }
        }
        return lines.joined(separator: "\n")
    }
}
