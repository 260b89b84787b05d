import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitObservability
import Foundation
import ProgramArguments

/// Talks to its own server, or loads JSON from the given address.
///
/// With `--waterfall` it also draws what the call did.
@main
@MainActor
struct QuickStart {
    static func main() async throws {
        let arguments = ProgramArguments(
            """
            usage: QuickStart [--waterfall] [URL]

            Loads JSON from URL and prints it; without one it walks through a service against a server of its own.

              --waterfall  draws what the call did, with a legend
            """,
            options: ["--waterfall"],
            values: 1
        )
        let draws = arguments.has("--waterfall")
        if let address = arguments.values.first { return await load(address, draws: draws) }
        let server = try startServer()
        let story = Story()
        try await callbacks(server, story)
        try await awaiting(server, story)
        if draws { await load("\(server.url)/user/users", draws: true) }
        server.stop()
        story.end()
    }

    /// Loads JSON from anywhere and prints it, with a picture of the call if wanted.
    static func load(_ address: String, draws: Bool) async {
        let recorder = CallRecorder()
        let client = draws ? Client().record(in: recorder) : Client()
        let result: Result<String, any Error>
        do {
            let json: Json = try await UrlChainsBuilder(client: client).route(.get, address).build().process()
            result = .success(try json.text(pretty: true))
        } catch {
            result = .failure(error)
        }
        await client.flushRecords()
        for record in recorder.records { print(record.waterfall) }
        if draws { print("\(TextWaterfall.legend)\n") }
        switch result {
        case .success(let text): print(text)
        case .failure(let error):
            print("\(error)")
            exit(1)
        }
    }

    static func callbacks(_ server: LoopbackServer, _ story: Story) async throws {
        story.chapter("By callbacks")
        let service = ExampleService(base: server.url)
        let newcomer = User(name: "Grace", age: 45, type: .member, photos: [Photo(id: "p9", image: "grace.png")])

        await ended { done in
            service.getUsers()
                .onCompleted {
                    story.expect(
                        $0.map(\.name) == ["Ada", "Alan"],
                        "list users",
                        $0.map(\.name).joined(separator: ", ")
                    )
                }
                .onError { story.expect(false, "list users", "\($0)") }
                .defer(done)
        }
        await ended { done in
            service.getUser(by: "1")
                .onCompleted { story.expect($0.photos.first?.image == "ada.png", "one user", "\($0.name), \($0.age)") }
                .onError { story.expect(false, "one user", "\($0)") }
                .defer(done)
        }
        await ended { done in
            service.auth(user: newcomer)
                .onCompleted { story.expect(service.keychain == ["Grace"], "sign up", "kept \(service.keychain)") }
                .onError { story.expect(false, "sign up", "\($0)") }
                .defer(done)
        }
        await ended { done in
            service.updateState(by: ["a", "b"], descending: true, by: ["k": "v"], max: 20, users: [newcomer])
                .onCompleted {
                    let query = server.requests.last?.target ?? ""
                    let expected = "/tasks?desc=true&map%5Bk%5D=v&max=20&params=a&params=b"
                    story.expect(query == expected, "update state", query)
                }
                .onError { story.expect(false, "update state", "\($0)") }
                .defer(done)
        }
        await ended { done in
            service.getUser(by: "404")
                .onCompleted { _ in story.expect(false, "unknown user", "was found") }
                .onError { story.expect(($0 as? NetworkError)?.code == .notFound, "unknown user", "\($0)") }
                .defer(done)
        }
        let stalled = server.counts.stalls
        let slow = service.getUser(by: "slow")
        try await server.wait { $0.stalls > stalled }
        await ended { done in
            slow
                .onCompleted { _ in story.expect(false, "cancelled request", "completed") }
                .onCanceled { story.expect(true, "cancelled request", "cancelled, and the server saw it go") }
                .defer(done)
            slow.cancel()
        }
        try await server.waitForDisconnect(of: server.requests.last?.connection ?? 0)
        let nowhere = ExampleService(base: try LoopbackServer.unusedPortURL())
        await ended { done in
            nowhere.getUsers()
                .onCompleted { _ in story.expect(false, "refused connection", "completed") }
                .onError { story.expect(($0 as? NetworkError)?.code == .cannotConnect, "refused connection", "\($0)") }
                .defer(done)
        }
    }

    static func awaiting(_ server: LoopbackServer, _ story: Story) async throws {
        story.chapter("By async")
        let service = ExampleService(base: server.url)
        let users = try await service.users()
        story.expect(users.map(\.name) == ["Ada", "Alan"], "list users", users.map(\.name).joined(separator: ", "))
        let user = try await service.user(by: "1")
        story.expect(user.name == "Ada", "one user", "\(user.name), \(user.age)")
        let grace = User(name: "Grace", age: 45, type: .member, photos: [])
        let echo = try await service.signUp(grace)
        story.expect(echo.name == "Grace" && echo.type == .member, "sign up", echo.name)

        do {
            _ = try await service.user(by: "404")
            story.expect(false, "unknown user", "was found")
        } catch let error as NetworkError {
            struct Reason: Decodable { let message: String }
            let reason = try? error.decodeBody(as: Reason.self).message
            story.expect(error.code == .notFound && reason == "no such user", "unknown user", reason ?? "\(error)")
        }

        let stalled = server.counts.stalls
        let slow = Task { try await service.user(by: "slow") }
        try await server.wait { $0.stalls > stalled }
        slow.cancel()
        let outcome = await slow.result
        if case .failure(let error) = outcome, error is CancellationError {
            story.expect(true, "cancelled request", "CancellationError")
        } else {
            story.expect(false, "cancelled request", "\(outcome)")
        }
    }

    /// Waits until a call's last callback has run.
    private static func ended(_ start: (@escaping @Sendable @MainActor () -> Void) -> Void) async {
        await withCheckedContinuation { continuation in
            start { continuation.resume() }
        }
    }
}
