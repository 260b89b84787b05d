import CoreNetKit
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation

/// One process of a fleet, as tests start several: does what the lines of its input say, and says what came of it.
///
/// Arguments: what is shared, `refresh`, `rate` or `cache`; the path of the store's socket; then
/// - of `refresh`: the URL of the server, `spend` or `end` for what becomes of a lost refresh;
/// - of `rate`: requests a second, burst, how many processes there are.
@main
struct FleetProgram {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { exit(2) }
        let store = ValkeyStore(.unix(arguments[2]), timeout: .milliseconds(500))
        switch (arguments[1], arguments.count) {
        case ("cache", 3): await Caching(store).run()
        case ("refresh", 5):
            await Refreshing(store, server: arguments[3], spendsAgain: arguments[4] == "spend").run()
        case ("rate", 6):
            guard let rate = Int(arguments[3]), let burst = Int(arguments[4]), let count = Int(arguments[5]) else {
                exit(2)
            }
            await Sending(store, rate: rate, burst: burst, processes: count).run()
        default: exit(2)
        }
    }

    static func say(_ text: String) {
        // Not by `print`: to flush that would be to wait for who reads a line.
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}

/// Sends nothing, and counts.
struct Nowhere: Transport {
    let sent = Locked(0)
    var capabilities: TransportCapabilities { [] }

    func clientIdentity(for url: URL) -> String? { "" }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        sent.withLock { $0 += 1 }
        return TransportResponse(status: 200, url: request.url)
    }
}
