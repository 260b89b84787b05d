import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import Foundation

/// A server is recorded once; afterwards its calls work without it.
@main
struct RecordAndReplay {
    static func main() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("orders-\(getpid()).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try LoopbackServer()
        server.on(.get, "/orders/7", .json(#"{"item":"pen"}"#))
        let address = server.url("/orders/7")

        let recording = try Cassette(file, mode: .recordOnce, live: Client().configuration.transport)
        print("recorded: \(try await load(address, with: recording))")
        server.stop()

        let tape = try Cassette(file)
        print("played:   \(try await load(address, with: tape))")
        print("report:   \(tape.report)")
    }

    static func load(_ address: URL, with transport: any Transport) async throws -> String {
        let order: Json = try await UrlChainsBuilder<URL>(client: Client(transport: transport))
            .set(metadata: ["Authorization": "Bearer s3cret"])
            .route(.get, address)
            .build()
            .call()
        return order["item"]?.string ?? "nothing"
    }
}
