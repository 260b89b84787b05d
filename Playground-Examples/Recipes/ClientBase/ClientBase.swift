import CoreNetKit
import CoreNetKitLoopback

/// Paths below the base of a client; the id of a call cannot change the path.
@main
struct ClientBase {
    enum NoteRoute: PathRoute {
        case notes(page: Int)
        case note(String)

        var path: Path {
            switch self {
            case .notes(let page): "/notes?page=\(page)"
            case .note(let id): "/notes/\(id)"
            }
        }
    }

    static func main() async throws {
        let server = try LoopbackServer { _ in .json(#"["milk"]"#) }
        let client = Client(base: server.url("/api/v1"))

        for id in ["7", "a/b", "50% off"] {
            let note: [String] = try await client.route(.get, "/notes/\(id)").build().call()
            print("\(id): \(note)")
        }
        let page = client.route(.get, NoteRoute.notes(page: 2))
        for builder in [page, page.base(server.url("/api/v2"))] {
            let notes: [String] = try await builder.build().call()
            print(notes)
        }
        print(server.requests.map(\.target).joined(separator: "\n"))

        do {
            try await client.route(.get, NoteRoute.note("..")).build().call()
        } catch {
            print(error)
        }
    }
}
