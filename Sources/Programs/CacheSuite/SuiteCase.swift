import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

/// A suite of the public cache tests, as its data file describes it.
struct Suite: Sendable {
    let id: String
    let cases: [SuiteCase]

    /// The suites of a file, without those for shared caches or that a client cannot play.
    static func load(_ path: String) throws -> [Suite] {
        let file = try Json(parsing: Data(contentsOf: URL(fileURLWithPath: path)))
        return (file.array ?? []).map { suite in
            let cases = (suite["tests"]?.array ?? []).filter { test in
                test["cdn_only"]?.bool != true && test["browser_skip"]?.bool != true
            }
            return Suite(id: suite["id"]?.string ?? "", cases: cases.map(SuiteCase.init))
        }.filter { !$0.cases.isEmpty }
    }
}

/// One test: a sequence of requests, and the expectations.
struct SuiteCase: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case required, optimal, check
    }

    let id: String
    let kind: Kind
    let needs: [String]
    let steps: [SuiteStep]

    init(_ json: Json) {
        id = json["id"]?.string ?? ""
        kind = json["kind"]?.string.flatMap(Kind.init) ?? .required
        needs = (json["depends_on"]?.array ?? []).compactMap(\.string)
        steps = (json["requests"]?.array ?? []).map(SuiteStep.init)
    }
}

struct SuiteStep: Sendable {
    let json: Json

    func text(_ name: String) -> String? { json[name]?.string }
    func flag(_ name: String) -> Bool? { json[name]?.bool }
    func has(_ name: String) -> Bool { json[name] != nil }

    var expectedType: String? { text("expected_type") }
    var status: Int? { json["response_status"]?[0]?.int }

    /// The lists of names and values of a field or an expectation.
    func list(_ name: String) -> [Json] { json[name]?.array ?? [] }

    /// The first value of a field of the response, as the data file has it.
    func field(_ name: String) -> Json? {
        list("response_headers").first { $0[0]?.string.map { Headers.matches($0, name) } ?? false }?[1]
    }

    /// Whether a failure of this check is not about the cache.
    func isSetup(_ check: String) -> Bool {
        flag("setup") == true || list("setup_tests").contains { $0.string == check }
    }

    /// The URL of this step's request.
    func url(base: String, id: String) -> String {
        var url = "\(base)/test/\(id)"
        if let name = text("filename") { url += "/\(name)" }
        if let query = text("query_arg") { url += "?\(query)" }
        return url
    }
}

/// Field values as sent over the wire.
extension SuiteStep {
    /// A value; numbers of date fields are seconds from a time, locations of magic steps are relative to a URL.
    func value(_ name: String, _ json: Json, now: Int64, base: String) -> String {
        func isOne(of names: [String]) -> Bool { names.contains { Headers.matches($0, name) } }
        let dates = ["Date", "Expires", "Last-Modified", "If-Modified-Since", "If-Unmodified-Since"]
        if let offset = json.int64, isOne(of: dates) {
            let date = Date(timeIntervalSince1970: Double(now / 1000 + offset))
            let isOld = isOne(of: list("rfc850date").compactMap(\.string))
            return isOld ? Self.rfc850(date) : HTTPDate.format(date)
        }
        let text = json.string ?? json.number ?? ""
        guard flag("magic_locations") == true, isOne(of: ["Location", "Content-Location"]) else { return text }
        return text.isEmpty ? base : "\(base)/\(text)"
    }

    private static func rfc850(_ date: Date) -> String {
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let parts = HTTPDate.format(date).split(separator: " ")
        guard let time = CivilTime(date), parts.count == 6 else { return "" }
        return "\(days[time.weekday]), \(parts[1])-\(parts[2])-\(parts[3].suffix(2)) \(parts[4]) GMT"
    }
}

extension Headers {
    /// All lines of a name as one.
    func joined(_ name: String) -> String? {
        let lines = self[values: name]
        return lines.isEmpty ? nil : lines.joined(separator: ", ")
    }
}
