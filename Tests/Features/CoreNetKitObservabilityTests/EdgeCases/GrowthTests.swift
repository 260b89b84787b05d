import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitJson
import CoreNetKitObservability
import TestSupport

/// An operation on as many things as it is told.
struct Growing: Sendable, CustomTestStringConvertible {
    typealias Work = @Sendable () -> Void

    let testDescription: String
    /// So many that the work takes milliseconds.
    var size: Int
    let prepare: @Sendable (Int) async throws -> Work

    init(_ name: String, _ size: Int = 1_000, _ prepare: @escaping @Sendable (Int) async throws -> Work) {
        (testDescription, self.size, self.prepare) = (name, size, prepare)
    }

    /// Work on a value that is made before.
    init<Value: Sendable>(
        _ name: String,
        _ size: Int = 1_000,
        of make: @escaping @Sendable (Int) async throws -> Value,
        _ work: @escaping @Sendable (Value) -> Void
    ) {
        self.init(name, size) { count in
            let value = try await make(count)
            return { work(value) }
        }
    }

    /// The time of this thread that the work takes, in nanoseconds.
    static func cost(_ work: Work) -> UInt64 {
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        work()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        return UInt64(max(0, (end.tv_sec - start.tv_sec) * 1_000_000_000 + end.tv_nsec - start.tv_nsec))
    }

    /// How much longer four times as many take: 4 for what is linear, 16 for what is quadratic; the least of some runs.
    func growth() async throws -> Double {
        let (few, many) = (try await prepare(size), try await prepare(4 * size))
        var least = (few: UInt64.max, many: UInt64.max)
        for _ in 0..<5 {
            least.few = min(least.few, Self.cost(few))
            least.many = min(least.many, Self.cost(many))
            if Double(least.many) / Double(max(least.few, 1)) < 6 { break }
        }
        return Double(least.many) / Double(max(least.few, 1))
    }
}

@Suite("Four times as many take at most nine times as long", .timeLimit(.minutes(10)), .paced)
struct GrowthTests {
    @Test("JSON values, fields, URLs and cookies", arguments: jsonRows + fieldsRows + urlsRows + cookiesRows)
    func rows(row: Growing) async throws { #expect(try await row.growth() < 9) }

    @Test("what is quadratic is seen")
    func quadratic() async throws {
        let row = Growing("all pairs", 200, of: { $0 }) { count in
            for one in 0..<count { for other in 0..<count { consume(one &* other) } }
        }
        #expect(try await row.growth() > 9)
    }
}

/// Keeps work from being left out.
@inline(never)
private func consume(_ value: some Any) {}

private func object(_ count: Int, _ name: (Int) -> String) -> String {
    "{" + (0..<count).map { "\"\(name($0))\":\($0)" }.joined(separator: ",") + "}"
}
private func same(_ count: Int) -> String { object(count) { _ in "a" } }
private func other(_ count: Int) -> String { object(count) { "name\($0)" } }
private func many(_ count: Int, _ name: String = "X-Field-") -> Headers {
    Headers((0..<count).map { ("\(name)\($0)", "value \($0)") })
}
private func list(_ count: Int) -> String { (0..<count).map { "X-Field-\($0)" }.joined(separator: ", ") }
private func secretURL(_ count: Int) -> String {
    "https://a.test/list?" + (0..<count).map { "token=secret\($0)" }.joined(separator: "&")
}
private func record(_ count: Int) async throws -> CallRecord {
    let stage = try Stage(call: 1)
    let request = TransportRequest(url: url(secretURL(count)))
    let call = stage.context()
    call.note(.requestBuilt(method: .get, url: request.url.absoluteString, headers: [:]))
    call.note(.attemptStarted)
    stage.exchange(request, Samples.response(200, .fresh(total: 100)), in: call, taking: 100)
    call.note(.attemptEnded(.init(status: 200)))
    return try await stage.end()
}
private func jar(_ count: Int) -> CookieJar {
    let jar = CookieJar()
    for number in 0..<count { jar.take(["a=b; Max-Age=1000"], from: url("https://host\(number).test/")) }
    return jar
}

private func parsed(_ count: Int) throws -> Json { try Json(parsing: same(count)) }
private func twice(_ text: String) throws -> (Json, Json) { (try Json(parsing: text), try Json(parsing: text)) }
private func nested(_ count: Int) -> String {
    String(repeating: "[\(same(20)),", count: count / 20) + "1" + String(repeating: "]", count: count / 20)
}
private func set(_ count: Int, in start: Json) {
    var value = start
    for number in 0..<count { value["name\(number)"] = 1 }
    consume(value)
}
private func redact(_ body: (inout Redactor) -> some Any) {
    var redactor = Redactor(.numbered)
    consume(body(&redactor))
}

private let jsonRows: [Growing] = [
    Growing("== of one name", of: { try twice(same($0)) }) { consume($0.0 == $0.1) },
    Growing("hash of one name", of: parsed) { consume($0.hashValue) },
    Growing("== of many names", of: { try twice(other($0)) }) { consume($0.0 == $0.1) },
    Growing("== of nested lists", 100, of: { try twice(nested($0)) }) { consume($0.0 == $0.1) },
    Growing("parsing and members", of: same) { consume((try? Json(parsing: $0))?.members.count) },
    Growing("object", of: parsed) { consume($0.object?.count) },
    Growing("making by setting", of: { $0 }) { set($0, in: [:]) },
    Growing("setting what is there", of: { ($0, try Json(parsing: other($0))) }) { set($0.0, in: $0.1) },
    Growing("writing", of: parsed) { consume(try? $0.data(sortedKeys: true)) },
    Growing("decoding a dictionary", of: parsed) { consume(try? $0.decode([String: Int].self)) },
    Growing("redaction of JSON", of: { count in Data(object(count) { _ in "token" }.utf8) }) { body in
        redact { $0.body(body, type: "application/json", limit: .max) }
    },
]

private let fieldsRows: [Growing] = [
    Growing("merge", 400, of: { (many($0), many($0)) }) { old, new in
        var headers = old
        headers.merge(new)
        consume(headers)
    },
    Growing("what is stored", 400) { count in
        var headers = many(count)
        headers.append("Connection", list(count))
        return { [headers] in consume(StoredFields.kept(headers)) }
    },
    Growing("what a 304 renews", 400, of: { (many($0), many($0)) }) { consume(StoredFields.merged($0.0, with: $0.1)) },
    Growing("== and hash of fields", of: { (many($0), many($0)) }) { consume(($0.0 == $0.1, $0.0.hashValue)) },
    Growing("description", of: { many($0) }) { consume($0.description) },
    Growing("redaction of fields", 200, of: { many($0, "X-Api-Key-") }) { headers in redact { $0.fields(headers) } },
    Growing("a message", 200) { count in
        let text = (0..<count).map { "token=\"a\($0)\" http://a.test/?key=\($0)," }.joined(separator: " ")
        return { consume(Redaction.message(text)) }
    },
    Growing("Vary", of: { ["Vary": list($0)] as Headers }) { headers in
        consume(Vary.selecting(Vary.names(headers) ?? [], in: ["Accept": "*/*"]))
    },
    Growing("Cache-Control", of: { ["Cache-Control": list($0)] as Headers }) { consume(CacheControl($0)) },
    Growing("tracestate", 100) { count in
        var headers = Headers((0..<count).map { ("tracestate", "k\($0)=v") })
        let ones = { String(repeating: "1", count: $0) }
        headers.append("traceparent", "00-\(ones(32))-\(ones(16))-01")
        return { [headers] in consume(TraceContext(headers)) }
    },
    Growing("a curl command with secrets", 200) { count in
        let headers = Headers((0..<count).map { _ in ("Authorization", "Bearer \(Redactor.word)") })
        return { consume(CurlCommand(.init(method: .get, url: "http://a.test/", headers: headers)).description) }
    },
]

private let urlsRows: [Growing] = [
    Growing("redaction of a URL", 200, of: secretURL) { consume(Redaction.text(of: $0)) },
    Growing("numbered redaction", 200, of: secretURL) { url in redact { $0.url(url) } },
    Growing("HAR", 200, of: record) { consume(HARWriter.data(of: [$0])) },
    Growing("a page", 200, of: record) { consume(CallPage([$0]).html) },
    Growing("a curl command", 200, of: record) { consume($0.curl) },
    Growing("a cache's key", 200, of: { url(secretURL($0)) }) { consume(CacheKey(url: $0)) },
    Growing("No-Vary-Search", 200) { count in
        let rule = NoVarySearch(["No-Vary-Search": "key-order"])
        let query = (0..<count).map { "k\($0)=1" }.joined(separator: "&")[...]
        return { consume(rule?.items(of: query)) }
    },
    Growing("tokens without an end", 400, of: { String(repeating: "%7b%7bname-1%7d%7d{{", count: $0) }) { text in
        consume((RedactionTokens.plain(text), RedactionTokens.all(in: text)))
    },
    Growing("segments", 200) { count in
        let link = url("https://a.test/" + (0..<count).map { "a\($0);token=b" }.joined(separator: "/"))
        return { consume(Redaction.url(link)) }
    },
]

private let cookiesRows: [Growing] = [
    Growing("taking from many servers", 200, of: { $0 }) { consume(jar($0)) },
    Growing("taking more than are kept", 200) { count in
        let lines = (0..<count).map { "name\($0)=value; Max-Age=1000" }
        return { consume(CookieJar().take(lines, from: url("https://a.test/"))) }
    },
    Growing("the field of a request", 200) { count in
        let jar = CookieJar(limits: CookieLimits(perDomain: .max))
        jar.take((0..<count).map { "name\($0)=value" }, from: url("https://a.test/"))
        return { consume(jar.field(for: url("https://a.test/"))) }
    },
    Growing("Netscape text", 200, of: { jar($0).netscapeText() }) { text in
        let jar = CookieJar()
        jar.take(netscapeText: text)
        consume(jar.netscapeText())
    },
    Growing("attributes of one", 400, of: { "a=b" + String(repeating: "; Path=/", count: $0) }) { line in
        consume(CookieJar().take([line], from: url("https://a.test/")))
    },
]
