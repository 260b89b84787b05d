import CoreNetKit
import CoreNetKitLoopback
import Foundation
import Synchronization

/// Two servers on this machine that speak GitHub's interface, as far as the example needs it.
struct Server: Sendable {
    static let token = "ghp_example"

    let api: LoopbackServer
    let uploads: LoopbackServer
    var hosts: (api: URL, uploads: URL) { (api.url, uploads.url) }
    /// How many responses were a 304.
    var unchanged: Int { state.value.withLock { $0.unchanged } }

    private struct Values {
        var remaining = 5000
        var unchanged = 0
        var closed: Set<Int> = []
        var stars: Set<String> = []
        var statisticsAsked = 0
        var wasLimited = false
    }

    private final class State: Sendable {
        let value = Mutex(Values())
    }

    private let state = State()

    init() throws {
        (api, uploads) = (try LoopbackServer(), try LoopbackServer())
        addRepositories()
        addIssues()
        addStars()
        addReleases()
    }

    func stop() {
        api.stop()
        uploads.stop()
    }

    /// A route for callers with the token, with a rate limit, for which a 304 does not count, and a validator.
    private func on(
        _ method: HTTPMethod,
        _ path: String,
        at server: LoopbackServer? = nil,
        _ respond: @escaping @Sendable (LoopbackRequest, inout Values) throws -> LoopbackResponse
    ) {
        (server ?? api).on(method, path) { [state] request in
            try state.value.withLock { values in
                guard request.headers["Authorization"] == "Bearer \(Self.token)" else {
                    return Self.refusal(401, "Bad credentials")
                }
                var response = try respond(request, &values)
                if method == .get, response.status == 200 {
                    let tag = "\"\(Self.digest(response.body))\""
                    if request.headers["If-None-Match"] == tag {
                        values.unchanged += 1
                        response = .status(304)
                    }
                    response = response.header("ETag", tag).header("Cache-Control", "private, max-age=0")
                }
                if response.status != 304 { values.remaining -= 1 }
                return response.header("X-RateLimit-Limit", "5000")
                    .header("X-RateLimit-Remaining", "\(values.remaining)").header("X-RateLimit-Reset", "1700000000")
            }
        }
    }

    private static func refusal(_ status: Int, _ message: String, errors: String = "[]") -> LoopbackResponse {
        .json(
            #"{"message":"\#(message)","errors":\#(errors),"documentation_url":"https://docs.example"}"#,
            status: status
        )
    }

    private static func digest(_ body: LoopbackResponse.Body) -> UInt64 {
        guard case .text(let text) = body else { return 0 }
        return text.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }

    private static let kit = repository(1)

    private static func repository(_ number: Int) -> String {
        #"{"id":\#(number),"full_name":"ada/kit-\#(number)","stargazers_count":\#(number)}"#
    }

    /// One page of a list, and the `Link` field that leads to the next.
    private func page(_ items: [String], of request: LoopbackRequest) -> (page: String, link: String?) {
        let size = Int(request.query("per_page") ?? "") ?? 30
        let number = Int(request.query("page") ?? "") ?? 1
        let page = items.dropFirst((number - 1) * size).prefix(size)
        var link: String?
        if page.endIndex < items.endIndex {
            let others = request.query.filter { $0.name != "page" }.map { "\($0.name)=\($0.value)" }
            let query = (others + ["page=\(number + 1)"]).joined(separator: "&")
            link = "<\(api.url(request.path).absoluteString)?\(query)>; rel=\"next\""
        }
        return ("[\(page.joined(separator: ","))]", link)
    }

    private func addRepositories() {
        on(.get, "/users/*") { _, _ in Self.refusal(404, "Not Found") }
        on(.get, "/users/ada") { _, _ in .json(#"{"id":7,"login":"ada","created_at":"2015-12-10T08:00:00Z"}"#) }
        on(.get, "/users/proxy") { _, _ in
            LoopbackResponse(status: 502, headers: ["Content-Type": "text/html"], body: .text("<h1>Bad gateway</h1>"))
        }
        on(.get, "/repos/ada/kit") { _, _ in .json(Self.kit) }
        on(.get, "/search/repositories") { request, values in
            guard values.wasLimited else {
                values.wasLimited = true
                return Self.refusal(403, "You have exceeded a secondary rate limit.").header("Retry-After", "0")
            }
            let (items, link) = page((1...5).map(Self.repository), of: request)
            return Self.linked(.json(#"{"total_count":5,"items":\#(items)}"#), link)
        }
        on(.get, "/repos/ada/kit/stats/contributors") { _, values in
            values.statisticsAsked += 1
            guard values.statisticsAsked > 1 else { return .json("{}", status: 202) }
            return .json(#"[{"total":42,"author":{"id":7,"login":"ada"}}]"#)
        }
    }

    private static func linked(_ response: LoopbackResponse, _ link: String?) -> LoopbackResponse {
        link.map { response.header("Link", $0) } ?? response
    }

    private func addIssues() {
        @Sendable func issue(_ number: Int, _ values: Values) -> String {
            let state = values.closed.contains(number) ? "closed" : "open"
            return #"{"number":\#(number),"title":"Issue \#(number)","state":"\#(state)"}"#
        }
        on(.get, "/repos/ada/kit/issues") { request, values in
            let open = (1...25).filter { !values.closed.contains($0) }
            let (items, link) = page(open.map { issue($0, values) }, of: request)
            return Self.linked(.json(items), link)
        }
        on(.get, "/repos/ada/kit/issues/*") { request, values in
            .json(issue(Int(request.path.split(separator: "/").last ?? "") ?? 0, values))
        }
        on(.patch, "/repos/ada/kit/issues/*") { request, values in
            let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
            if try request.json(as: Json.self)["state"]?.string == "closed" { values.closed.insert(number) }
            return .json(issue(number, values))
        }
        on(.post, "/repos/ada/kit/issues") { request, _ in
            let draft = try request.json(as: Json.self)
            guard let title = draft["title"]?.string, !title.isEmpty else {
                let errors = #"[{"resource":"Issue","field":"title","code":"missing_field"}]"#
                return Self.refusal(422, "Validation Failed", errors: errors)
            }
            return .json(#"{"number":26,"title":"\#(title)","state":"open"}"#, status: 201)
        }
    }

    private func addStars() {
        on(.get, "/user/starred/*/*") { request, values in
            values.stars.contains(request.path) ? .status(204) : Self.refusal(404, "Not Found")
        }
        on(.put, "/user/starred/*/*") { request, values in
            values.stars.insert(request.path)
            return .status(204)
        }
        on(.get, "/user/starred") { request, values in
            let (items, link) = page(values.stars.map { _ in Self.kit }, of: request)
            return Self.linked(.json(items), link)
        }
    }

    private func addReleases() {
        let assets = "/repos/ada/kit/releases/1/assets"
        let address = uploads.url(assets).absoluteString
        on(.post, "/repos/ada/kit/releases") { request, _ in
            let tag = try request.json(as: Json.self)["tag_name"]?.string ?? ""
            return .json(#"{"id":1,"tag_name":"\#(tag)","upload_url":"\#(address){?name,label}"}"#, status: 201)
        }
        on(.post, assets, at: uploads) { request, _ in
            let type = request.headers["Content-Type"] ?? ""
            let name = request.query("name") ?? ""
            return .json(#"{"name":"\#(name)","size":\#(request.body.count),"content_type":"\#(type)"}"#, status: 201)
        }
    }
}
