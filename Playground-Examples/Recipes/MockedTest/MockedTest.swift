import CoreNetKit
import CoreNetKitMock
import Foundation

/// What a test does: a mock in place of the wire, a manual clock, no waiting.
@main
struct MockedTest {
    static func main() async throws {
        let clock = ManualClock()
        let mock = MockTransport(clock: clock) {
            $0.on(.get, "/users/:id") { request in .json(#"{"id": "\#(request.parameters["id"] ?? "")"}"#) }
            $0.on(.get, "/silent", .stall)
        }
        let client = Client(transport: mock, clock: CallClock(clock))

        let user: Chain<Void, Json> = UrlChainsBuilder<String>(client: client)
            .route(.get, "https://api.example.com/users/7")
            .build()
        print("user \(try await user.call()["id"]?.string ?? "")")

        let silent: Chain<Void, Json> = UrlChainsBuilder<String>(client: client)
            .route(.get, "https://api.example.com/silent")
            .build()
        let call = Task { try await silent.call() }
        try await clock.advanceToNextSleeper()
        do { _ = try await call.value } catch let error as NetworkError {
            print("\(error.code) after \(clock.now.offset), in no time")
        }
        print(mock.requests.map { "\($0.method) \($0.path)" })
        try mock.verify()
    }
}
