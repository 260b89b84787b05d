import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitMock
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("The deadline of a call on the wire", .timeLimit(.minutes(10)), .paced)
struct DeadlineSlackTests {
    private func failure(at milliseconds: Int, limit: Duration?) async throws -> NetworkError? {
        let clock = ManualClock()
        let transport = ClosureTransport { request in
            clock.advance(by: .milliseconds(milliseconds))
            throw TransportError(.timedOut, phase: .receive, message: "no more time")
        }
        let chain = Chain(TransportNode(transport), deadline: .seconds(1), clock: CallClock(clock))
        var request = TransportRequest(url: try #require(URL(string: "http://a.test")))
        request.timeouts.total = limit
        do {
            _ = try await chain.process(request) as TransportResponse
            return nil
        } catch { return error as? NetworkError }
    }

    @Test(
        "is the cause if an exchange's timer fired up to ten milliseconds early, but not if it ended before that",
        arguments: [(1000, true), (1001, true), (991, true), (990, true), (989, false), (500, false), (0, false)]
    )
    func slack(milliseconds: Int, isDeadline: Bool) async throws {
        let failure = try #require(try await failure(at: milliseconds, limit: nil))
        #expect(failure.code == (isDeadline ? .deadlineExceeded : .timedOut))
        #expect(failure.isRetryable != isDeadline)
        #expect(failure.message.hasPrefix("the deadline passed while in") == isDeadline)
    }

    @Test("is not the cause if a limit of the exchange ended it first")
    func own() async throws {
        let failure = try #require(try await failure(at: 999, limit: .milliseconds(999)))
        #expect(failure.code == .timedOut)
    }
}
