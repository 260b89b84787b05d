import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// Everything that a screen loads shares one limit, whatever each call may take by itself.
@main
struct OneDeadline {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/profile", .json(#"{"name": "Ada"}"#))
        server.on(.get, "/photos", LoopbackResponse.ok.delayed(by: .seconds(30)))
        let builder = UrlChainsBuilder<URL>(client: Client()).set(deadline: .seconds(60))
        let profile: Chain<Void, Json> = builder.route(.get, server.url("/profile")).build()
        let photos: Chain<Void, Json> = builder.route(.get, server.url("/photos")).build()

        let start = ContinuousClock.now
        do {
            try await CallClock.continuous.within(.seconds(2)) {
                print("profile of \(try await profile.call()["name"]?.string ?? "nobody")")
                _ = try await photos.call() as Json
            }
        } catch let error as NetworkError {
            print("photos: \(error.code), after less than 5 s: \(ContinuousClock.now - start < .seconds(5))")
        }
    }
}
