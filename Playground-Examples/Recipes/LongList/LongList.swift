import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitStreams
import Foundation

/// A list of 25 rows: page by page, with a break in the middle, and as one long array read row by row.
@main
struct LongList {
    nonisolated struct Page: Decodable, Sendable {
        var rows: [Int]
        var next: String?
    }

    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/rows") { request in
            let first = Int(request.query("after") ?? "") ?? 0
            let rows = Array((first + 1)...min(first + 10, 25))
            return .json("{\"rows\":\(rows)\(first + 10 < 25 ? ",\"next\":\"\(first + 10)\"" : "")}")
        }
        server.on(.get, "/all", .json("{\"data\":{\"rows\":\(Array(1...25))},\"total\":25}"))

        let builder = UrlChainsBuilder<URL>().route(.get, server.url("/rows"))
        let pages = builder.pages(.cursor(\.next, as: "after"), reading: .json(Page.self))
        for try await page in pages where page.rows.contains(12) { break }
        print("stopped behind page \(pages.state.pages), \(server.requests.count) requests")

        var options = PageOptions()
        options.state = pages.state
        let rest = builder.pages(.cursor(\.next, as: "after"), options, reading: .json(Page.self))
        for try await row in rest.elements(\.rows) { print(row, terminator: " ") }
        print("\n\(server.requests.count) requests in all")

        let all: Chain<Void, ElementStream<Int>> = UrlChainsBuilder<URL>().route(.get, server.url("/all"))
            .elements(at: "data.rows", reading: .json)
        let stream = try await all.call()
        print("sum", try await stream.reduce(0, +), "of", stream.rest?["total"]?.int ?? 0)
    }
}
