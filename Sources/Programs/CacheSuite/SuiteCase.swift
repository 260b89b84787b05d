import CoreNetKitJson

import CoreNetKitEssentials

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
    enum Kind: String, Sendable {
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

/// One request of a test.
struct SuiteStep: Sendable {
    let json: Json

    init(_ json: Json) { self.json = json }

    func text(_ name: String) -> String? { json[name]?.string }
    func flag(_ name: String) -> Bool? { json[name]?.bool }
    func has(_ name: String) -> Bool { json[name] != nil }

    var expectedType: String? { text("expected_type") }
    var status: Int? { json["response_status"]?[0]?.int }

    /// The lists of names and values of a field or an expectation.
    func list(_ name: String) -> [Json] { json[name]?.array ?? [] }

    /// Whether a failure of this check is not about the cache.
    func isSetup(_ check: String) -> Bool {
        flag("setup") == true || list("setup_tests").contains { $0.string == check }
    }

    /// The base URL of the test's requests.
    func url(base: String, id: String) -> String {
        var url = "\(base)/test/\(id)"
        if let name = text("filename") { url += "/\(name)" }
        if let query = text("query_arg") { url += "?\(query)" }
        return url
    }
}
