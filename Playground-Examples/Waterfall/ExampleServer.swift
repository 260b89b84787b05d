import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// A server whose answers give the pictures something to show.
struct ExampleServer {
    let loopback: LoopbackServer

    init() throws {
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
        loopback.on(.post, "/orders", .json(#"{"order":1}"#, status: 201))
    }
}
