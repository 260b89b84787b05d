import TestPace

@testable import PushJourney

@Suite("The push journey", .timeLimit(.minutes(10)), .paced)
@MainActor
struct PushJourneyTests {
    @Test("is walked to its end, on a mock and on a socket", arguments: [World.Wire.mock, .loopback])
    func walks(wire: World.Wire) async throws {
        var lines: [String] = []
        let world = try World(wire)
        try await Journey(world) { lines.append($0) }.run()

        #expect(lines.count == 22)
        #expect(world.requests.count == 28)
    }

    @Test("sends the same on both")
    func sameRequests() async throws {
        let mock = try World(.mock)
        let socket = try World(.loopback)
        try await Journey(mock) { _ in }.run()
        try await Journey(socket) { _ in }.run()

        #expect(mock.requests.map { "\($0.line) \($0.body)" } == socket.requests.map { "\($0.line) \($0.body)" })
    }

    @Test(
        "ends at the step with a wrong response",
        // Not 15: its call is cancelled, and a response may come too late to be noticed.
        arguments: [3, 5, 6, 7, 8, 12, 14, 16, 17, 18, 19, 21]
    )
    func noticesWrongReplies(step: Int) async throws {
        let world = try World(.mock, brokenStep: step)
        // A shorter timeout: a right response never comes here.
        let journey = Journey(world, timeout: 5) { _ in }
        let mismatch = await #expect(throws: Mismatch.self) { try await journey.run() }

        #expect(mismatch?.step == step)
    }
}
