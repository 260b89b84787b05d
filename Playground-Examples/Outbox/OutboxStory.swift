import CoreNetKit
import CoreNetKitOutbox
import Foundation

/// What is asked for is sent, once, whatever happens: `swift run Outbox`.
///
/// The story starts itself again as the app whose life it tells: the app dies, the story goes on.
@main
struct OutboxStory {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let server = URL(string: arguments[3]) else { return try await Narrator().tell() }
        let app = try App(folder: URL(fileURLWithPath: arguments[2]), server: server)
        if arguments[1] == "write" { try await app.writeAndDie() } else { try await app.deliver() }
    }
}

/// Says a line at once: what a killed process has in its buffers is lost.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
