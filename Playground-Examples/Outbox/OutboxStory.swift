import CoreNetKit
import CoreNetKitOutbox
import Foundation

/// Every request is sent, once, whatever happens: `swift run Outbox`.
///
/// The story starts itself again as the app that it tells about: the app dies, the story goes on.
@main
struct OutboxStory {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count > 1, arguments[1].hasPrefix("-") {
            print(
                "usage: Outbox\n\nShows an app that is offline, is killed, and still sends each of its orders once."
            )
            exit(arguments[1] == "--help" ? 0 : 2)
        }
        guard arguments.count == 4, let server = URL(string: arguments[3]) else { return try await Narrator().tell() }
        let app = try App(folder: URL(fileURLWithPath: arguments[2]), server: server)
        if arguments[1] == "write" { try await app.writeAndDie() } else { try await app.deliver() }
    }
}

/// Prints a line at once: a killed process loses what is in its buffers.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
