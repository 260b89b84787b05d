import CoreNetKitHTTP
import CoreNetKitLoopback
import Foundation

/// A real HTTP server on this machine, so that the example needs no network.
func startServer() throws -> LoopbackServer {
    let ada = #"{"name":"Ada","age":36,"type":0,"photos":[{"id":"p1","ref":"ada.png"}]}"#
    let alan = #"{"name":"Alan","age":41,"type":1,"photos":[]}"#
    let server = try LoopbackServer()
    server.on(.get, "/user/users", .json("[\(ada),\(alan)]"))
    server.on(.get, "/user/1", .json(ada))
    server.on(.get, "/user/slow", .json(ada).fault(.stall(.beforeStatus)))
    server.on(.get, "/user/404", .json(#"{"message":"no such user"}"#, status: 404))
    server.on(.post, "/user/auth") { request in .data(request.body, type: "application/json") }
    server.on(.post, "/tasks", .status(204))
    return server
}
