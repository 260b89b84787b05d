import CoreNetKit
import CoreNetKitEndpoints
import CoreNetKitLoopback

/// Two servers behind one origin: the first stops, and no call notices.
@main
struct Failover {
    static func main() async throws {
        let home = try LoopbackServer { _ in .json(#""home""#) }
        let cloud = try LoopbackServer { _ in .json(#""cloud""#) }
        let members = [home, cloud].map { "http://127.0.0.1:\($0.port)" as Endpoints.Member }
        let api = Endpoints("http://api.example.com", members)
        let client = Client().retry(.standard).endpoints(api)
        let chain: Chain<Void, String> = UrlChainsBuilder<String>(client: client)
            .route(.get, "http://api.example.com/place")
            .build()

        print("answered by \(try await chain.call())")
        home.stop()
        for _ in 1...4 { print("answered by \(try await chain.call())") }
        for (name, member) in zip(["home", "cloud"], api.state) {
            print("\(name): \(member.ejectedUntil == nil ? "works" : "is ejected")")
        }
    }
}
