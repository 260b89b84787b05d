import CoreNetKit
import CoreNetKitHTTP
import Foundation
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
