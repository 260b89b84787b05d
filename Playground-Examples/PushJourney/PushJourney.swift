import Foundation

/// `swift run PushJourney` walks through the whole notification stack against its own servers; `--server URL` walks
/// through the steps that work with your server.
@main
@MainActor
struct PushJourney {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        var wire = World.Wire.loopback
        if arguments.first == "--server", arguments.count == 2, let url = URL(string: arguments[1]), url.host() != nil {
            wire = .remote(url)
        } else if !arguments.isEmpty {
            print(
                """
                usage: PushJourney [--server URL]

                Walks through registration, links, alarms and their reports, against servers of its own.

                  --server URL  sends what it can to your own server instead
                """
            )
            exit(arguments == ["--help"] ? 0 : 2)
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
