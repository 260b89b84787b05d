import CoreNetKit
import CoreNetKitOutbox
import Foundation
import ProgramArguments

/// Every request is sent, once, whatever happens: `swift run Outbox`.
///
/// The story starts itself again as the app that it tells about: the app dies, the story goes on.
@main
struct OutboxStory {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, ["write", "deliver"].contains(arguments[1]), let server = URL(string: arguments[3])
        else {
            _ = ProgramArguments(
                """
                usage: Outbox

                Shows an app that is offline, is killed, and still sends each of its orders once.
                """
            )
            return try await Narrator().tell()
        }
        let app = try App(folder: URL(fileURLWithPath: arguments[2]), server: server)
        if arguments[1] == "write" { try await app.writeAndDie() } else { try await app.deliver() }
    }
}

/// Prints a line at once: a killed process loses what is in its buffers.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
