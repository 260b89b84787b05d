import TestSupport

@testable import CoreNetKitURLSession

@Suite("URLSession: exchanges that wait for a place at their host", .paced)
struct HostLimiterTests {
    /// Exchanges that end before the wire: where their content would go there is no folder.
    private func exchanges(_ count: Int) throws -> [SessionExchange] {
        let url = try #require(URL(string: "http://\(UUID().uuidString).invalid/"))
        let file = URL(filePath: "/no/such/folder/\(UUID().uuidString)")
        return try (0..<count).map { _ in
            try SessionExchange(RequestPlan(TransportRequest(url: url, delivery: .file(file))), on: engine())
        }
    }

    private func engine() throws -> SessionEngine { try SharedSession.of(.init()).engine() }

    private func started(_ exchanges: [SessionExchange]) -> [Int] {
        exchanges.indices.filter { exchanges[$0].stage != .preparing }
    }

    @Test("run in order of arrival; one that gave up is skipped and takes no place")
    func order() throws {
        let exchanges = try exchanges(6)
        let steps = try engine().queue.sync { () -> [[Int]] in
            let limiter = HostLimiter(perHost: 2)
            for exchange in exchanges { limiter.admit(exchange) }
            var steps = [started(exchanges)]
            limiter.withdraw(exchanges[3])
            for index in [0, 1, 2] {
                limiter.release(exchanges[index])
                steps.append(started(exchanges))
            }
            return steps
        }
        #expect(steps == [[0, 1], [0, 1, 2], [0, 1, 2, 4], [0, 1, 2, 4, 5]])
    }

    @Test("leave their places to those who come later")
    func places() throws {
        let exchanges = try exchanges(6)
        let steps = try engine().queue.sync { () -> [[Int]] in
            let limiter = HostLimiter(perHost: 2)
            var steps: [[Int]] = []
            for round in [0, 3] {
                for index in 0..<3 { limiter.admit(exchanges[round + index]) }
                limiter.withdraw(exchanges[round + 2])
                limiter.release(exchanges[round])
                limiter.release(exchanges[round + 1])
                steps.append(started(exchanges))
            }
            return steps
        }
        #expect(steps == [[0, 1], [0, 1, 3, 4]])
    }
}
