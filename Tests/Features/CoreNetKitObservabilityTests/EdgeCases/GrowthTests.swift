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
        let row = Growing("all pairs", 200) { count in
            { for one in 0..<count { for other in 0..<count { consume(one &* other) } } }
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

private let jsonRows: [Growing] = [
    Growing("== of one name") { count in
        let (left, right) = (try Json(parsing: same(count)), try Json(parsing: same(count)))
        return { consume(left == right) }
    },
    Growing("hash of one name") { count in
        let value = try Json(parsing: same(count))
        return { consume(value.hashValue) }
    },
    Growing("== of many names") { count in
        let (left, right) = (try Json(parsing: other(count)), try Json(parsing: other(count)))
        return { consume(left == right) }
    },
    Growing("== of nested lists", 100) { count in
        let text =
            String(repeating: "[\(same(20)),", count: count / 20) + "1" + String(repeating: "]", count: count / 20)
        let (left, right) = (try Json(parsing: text), try Json(parsing: text))
        return { consume(left == right) }
    },
    Growing("parsing and members") { count in
        let text = same(count)
        return { consume((try? Json(parsing: text))?.members.count) }
    },
    Growing("object") { count in
        let value = try Json(parsing: same(count))
        return { consume(value.object?.count) }
    },
    Growing("making by setting") { count in
        {
            var value: Json = [:]
            for number in 0..<count { value["name\(number)"] = 1 }
            consume(value)
        }
    },
    Growing("setting what is there") { count in
        let start = try Json(parsing: other(count))
        return {
            var value = start
            for number in 0..<count { value["name\(number)"] = 1 }
            consume(value)
        }
    },
    Growing("writing") { count in
        let value = try Json(parsing: same(count))
        return { consume(try? value.data(sortedKeys: true)) }
    },
    Growing("decoding a dictionary") { count in
        let value = try Json(parsing: same(count))
        return { consume(try? value.decode([String: Int].self)) }
    },
    Growing("redaction of JSON") { count in
        let body = Data(object(count) { _ in "token" }.utf8)
        return {
            var redactor = Redactor(.numbered)
            consume(redactor.body(body, type: "application/json", limit: .max))
        }
    },
]

private let fieldsRows: [Growing] = [
    Growing("merge", 400) { count in
        let (old, new) = (many(count), many(count))
        return {
            var headers = old
            headers.merge(new)
            consume(headers)
        }
    },
    Growing("what is stored", 400) { count in
        var headers = many(count)
        headers.append("Connection", list(count))
        return { [headers] in consume(StoredFields.kept(headers)) }
    },
    Growing("what a 304 renews", 400) { count in
        let (old, new) = (many(count), many(count))
        return { consume(StoredFields.merged(old, with: new)) }
    },
    Growing("== and hash of fields") { count in
        let (left, right) = (many(count), many(count))
        return { consume((left == right, left.hashValue)) }
    },
    Growing("description") { count in
        let headers = many(count)
        return { consume(headers.description) }
    },
    Growing("redaction of fields", 200) { count in
        let headers = many(count, "X-Api-Key-")
        return {
            var redactor = Redactor(.numbered)
            consume(redactor.fields(headers))
        }
    },
    Growing("a message", 200) { count in
        let text = (0..<count).map { "token=\"a\($0)\" http://a.test/?key=\($0)," }.joined(separator: " ")
        return { consume(Redaction.message(text)) }
    },
    Growing("Vary") { count in
        let headers: Headers = ["Vary": list(count)]
        return { consume(Vary.selecting(Vary.names(headers) ?? [], in: ["Accept": "*/*"])) }
    },
    Growing("Cache-Control") { count in
        let headers: Headers = ["Cache-Control": list(count)]
        return { consume(CacheControl(headers)) }
    },
    Growing("tracestate", 100) { count in
        var headers = Headers((0..<count).map { ("tracestate", "k\($0)=v") })
        let ones = { String(repeating: "1", count: $0) }
        headers.append("traceparent", "00-\(ones(32))-\(ones(16))-01")
        return { [headers] in consume(TraceContext(headers)) }
    },
    Growing("a curl command with secrets", 200) { count in
        let headers = Headers((0..<count).map { _ in ("Authorization", "Bearer \(Redactor.word)") })
        return {
            consume(CurlCommand(method: .get, url: "http://a.test/", headers: headers, body: nil).description)
        }
    },
]

private let urlsRows: [Growing] = [
    Growing("redaction of a URL", 200) { count in
        let url = secretURL(count)
        return { consume(Redaction.text(of: url)) }
    },
    Growing("numbered redaction", 200) { count in
        let url = secretURL(count)
        return {
            var redactor = Redactor(.numbered)
            consume(redactor.url(url))
        }
    },
    Growing("HAR", 200) { count in
        let record = try await record(count)
        return { consume(HARWriter.data(of: [record])) }
    },
    Growing("a page", 200) { count in
        let record = try await record(count)
        return { consume(CallPage([record]).html) }
    },
    Growing("a curl command", 200) { count in
        let record = try await record(count)
        return { consume(record.curl) }
    },
    Growing("a cache's key", 200) { count in
        let link = url(secretURL(count))
        return { consume(CacheKey(url: link)) }
    },
    Growing("No-Vary-Search", 200) { count in
        let rule = NoVarySearch(["No-Vary-Search": "key-order"])
        let query = (0..<count).map { "k\($0)=1" }.joined(separator: "&")[...]
        return { consume(rule?.items(of: query)) }
    },
    Growing("tokens without an end", 400) { count in
        let text = String(repeating: "%7b%7bname-1%7d%7d{{", count: count)
        return { consume((RedactionTokens.plain(text), RedactionTokens.all(in: text))) }
    },
    Growing("segments", 200) { count in
        let link = url("https://a.test/" + (0..<count).map { "a\($0);token=b" }.joined(separator: "/"))
        return { consume(Redaction.url(link)) }
    },
]

private let cookiesRows: [Growing] = [
    Growing("taking from many servers", 200) { count in { consume(jar(count)) } },
    Growing("taking more than are kept", 200) { count in
        let lines = (0..<count).map { "name\($0)=value; Max-Age=1000" }
        return { consume(CookieJar().take(lines, from: url("https://a.test/"))) }
    },
    Growing("the field of a request", 200) { count in
        let jar = CookieJar(limits: CookieLimits(perDomain: .max))
        jar.take((0..<count).map { "name\($0)=value" }, from: url("https://a.test/"))
        return { consume(jar.field(for: url("https://a.test/"))) }
    },
    Growing("Netscape text", 200) { count in
        let text = jar(count).netscapeText()
        return {
            let jar = CookieJar()
            jar.take(netscapeText: text)
            consume(jar.netscapeText())
        }
    },
    Growing("attributes of one", 400) { count in
        let line = "a=b" + String(repeating: "; Path=/", count: count)
        return { consume(CookieJar().take([line], from: url("https://a.test/"))) }
    },
]
