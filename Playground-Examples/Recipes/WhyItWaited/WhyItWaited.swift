import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitObservability
import Foundation

/// Three calls for one place, and a picture of which one waited and why.
@main
struct WhyItWaited {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/report", LoopbackResponse.json("{}").delayed(by: .milliseconds(30)))
        let recorder = CallRecorder()
        let client = Client().limit(perHost: 1).record(in: recorder)

        let chain: Chain<Void, Json> = UrlChainsBuilder<URL>(client: client)
            .route(.get, server.url("/report"))
            .build()
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 { group.addTask { _ = try await chain.call() } }
            try await group.waitForAll()
        }

        await client.flushRecords()
        server.stop()
        print(TextWaterfall().text(of: recorder.records))
        print("\n\(TextWaterfall.legend)")
    }
}
