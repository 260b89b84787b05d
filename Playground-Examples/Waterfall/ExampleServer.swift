import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// A server whose responses give the pictures something to show.
struct ExampleServer {
    let loopback: LoopbackServer
    /// Another host, which has the pictures.
    let images: LoopbackServer

    init() throws {
        images = try LoopbackServer(recording: .off) { request in
            let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
            let picture = Data(count: 600 + number * 7919 % 40_000)
            return LoopbackResponse.data(picture, type: "image/png").delayed(by: .milliseconds(2 + number * 31 % 25))
        }
        loopback = try LoopbackServer()
        let user = LoopbackResponse.json(#"{"id":7,"name":"Ada"}"#).delayed(by: .milliseconds(20))
        loopback.on(.get, "/users/7", user.header("Server-Timing", "db;dur=12.5;desc=\"users\""))
        loopback.on(
            .get,
            "/flaky",
            LoopbackResponse.status(503, headers: ["Retry-After": "0"]).delayed(by: .milliseconds(15)),
            user
        )
        loopback.on(.get, "/private") { request in
            let isKnown = request.headers["Authorization"] == "Bearer fresh"
            return isKnown ? user : .status(401).delayed(by: .milliseconds(10))
        }
        loopback.on(.get, "/slow", user.delayed(by: .milliseconds(400)), user)
        loopback.on(.get, "/cached", user.header("Cache-Control", "max-age=60"))
        loopback.on(.get, "/old", .status(302, headers: ["Location": "/users/7?token=s3cret"]))
        loopback.on(.get, "/stream", .chunks("one,", "two,", "three"))
        loopback.on(.get, "/broken", .json(#"{"name":"<script>alert(1)</script>"}"#, status: 500))
        loopback.on(.get, "/endless", .fault(.stall(.beforeStatus)))
        loopback.on(.get, "/many/**") { request in Self.one(of: request.path) }
        loopback.on(.post, "/orders", .json(#"{"order":1}"#, status: 201))
    }

    func stop() {
        loopback.stop()
        images.stop()
    }

    /// Mostly fast, sometimes slow, refused or broken; the same each time.
    private static func one(of path: String) -> LoopbackResponse {
        let number = Int(path.split(separator: "/").last ?? "") ?? 0
        let delay = Duration.milliseconds(number % 97 == 13 ? 350 : 3 + number * 7 % 20)
        if number % 211 == 5 { return .json(#"{"error":"the table is locked"}"#, status: 500).delayed(by: delay) }
        if number % 53 == 7 { return .json(#"{"error":"no such user"}"#, status: 404).delayed(by: delay) }
        return .json(#"{"id":\#(number),"name":"Ada","orders":[\#(number * 3),\#(number * 3 + 1)]}"#).delayed(by: delay)
    }
}
