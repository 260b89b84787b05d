import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("Errors of an observer", .timeLimit(.minutes(10)), .paced)
struct ObserverErrorTests {
    struct Refused: Error, Equatable {
        let code: NetworkError.Code
    }

    struct Other: Error {}

    @Test("mapError takes a closure of NetworkError, and leaves errors of other types alone")
    func networkErrors() async throws {
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(
            client: Client(transport: ClosureTransport(status: 404))
        )
        .route(.get, "http://a.test/")
        .build()
        let failing: Observer<Void> = chain.process()
        let mapped = failing.mapError { (error: NetworkError) in Refused(code: error.code) }
        await #expect(throws: Refused(code: .notFound)) { try await mapped.value }
        let foreign = Observer<Void>.emit(error: Other())
        let kept = foreign.mapError { (error: NetworkError) in Refused(code: error.code) }
        await #expect(throws: Other.self) { try await kept.value }
    }
}
