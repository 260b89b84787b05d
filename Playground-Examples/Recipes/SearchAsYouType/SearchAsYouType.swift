import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// A user types "swift": only the last of five calls goes to the server, the others end as cancelled.
@main
struct SearchAsYouType {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/search") { request in .json("[\"results for \(request.query("text") ?? "")\"]") }
        let typing = Debouncer()
        let builder = UrlChainsBuilder<URL>()
            .debounce("search", for: .milliseconds(200), in: typing)
            .route(.get, server.url("/search"))

        var searches: [Observer<[String]>] = []
        var text = ""
        for letter in "swift" {
            text.append(letter)
            let search: Observer<[String]> = builder.set(query: ["text": text]).build().observe()
            searches.append(search)
            try await Task.sleep(for: .milliseconds(10))
        }
        for search in searches {
            do { print(try await search.value) } catch is CancellationError { print("gave way") }
        }
        print("\(server.requests.count) request")
    }
}
