import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitObservability
import Foundation

/// A page that shows a program's calls while it runs; here the program itself is the first reader.
@main
struct WatchLive {
    static func main() async throws {
        let shop = try LoopbackServer()
        shop.on(.get, "/items", .json(#"["tea", "cups"]"#))
        let recorder = CallRecorder()
        let client = Client().record(in: recorder)

        let page = LivePage(recorder, title: "Shop")
        let door = try LoopbackServer(recording: .off) { request in
            let response = await page.response(to: request.target, headers: request.headers)
            return LoopbackResponse(status: response.status, headers: response.headers, body: .data(response.content))
        }
        print("open in a browser: http://127.0.0.1:<port>/<32 random digits>/")

        // What a browser does: loads the page, then its events, which wait for the next call.
        let html: String = try await UrlChainsBuilder<URL>().route(.get, door.url(page.path)).build().call()
        print("the page runs no script but its own: \(html.contains("script-src 'sha256-"))")
        let events: Chain<Void, String> = UrlChainsBuilder<URL>()
            .route(.get, door.url(page.path + "calls?after=0")).build()
        async let told = events.call()
        let items: [String] = try await UrlChainsBuilder<URL>(client: client)
            .route(.get, shop.url("/items")).build().call()
        print("a call: \(items.joined(separator: " and "))")
        print("the page has heard of it: \(try await told.contains("/items"))")
        door.stop()
        shop.stop()
    }
}
