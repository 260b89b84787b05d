import Foundation
import ProgramArguments

/// `swift run PushJourney` walks through the whole notification stack against its own servers; `--server URL` walks
/// through the steps that work with your server.
@main
@MainActor
struct PushJourney {
    static func main() async {
        let arguments = ProgramArguments(
            """
            usage: PushJourney [--server URL]

            Walks through registration, links, alarms and their reports, against servers of its own.

              --server URL  sends what it can to your own server instead
            """,
            options: ["--server"],
            values: 1
        )
        var wire = World.Wire.loopback
        if arguments.has("--server") {
            guard let url = arguments.values.first.flatMap({ URL(string: $0) }), url.host() != nil else {
                arguments.refuse("--server needs the URL of a server")
            }
            wire = .remote(url)
        } else {
            arguments.expect(atMost: 0)
        }
        do {
            let world = try World(wire)
            print("A device's way through IDPush, Kore, deep links and alarms\n")
            try await Journey(world).run()
            print("\n\(world.requests.count) requests, all as expected")
        } catch {
            print("\nnot as expected: \(error)")
            exit(1)
        }
    }
}
