import KorePushService
import PushServersMock
import TestSupport

/// "Common Error Cases" of the document.
@Suite("Kore: the document's errors", .timeLimit(.minutes(10)), .paced)
struct KoreErrorGroupTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let group: String
        let name: String
        let code: KorePushError.Code
        let run: @Sendable (KoreWorld) async throws -> Void

        var testDescription: String { "\(group): \(name)" }
    }

    static let cases = [
        Case(group: "device token", name: "nil", code: .missingDeviceToken) { _ in
            _ = try KoreDeviceToken(data: nil)
        },
        Case(group: "device token", name: "invalid", code: .invalidDeviceToken) { _ in
            _ = try KoreDeviceToken(data: Data())
        },
        Case(group: "device token", name: "hex conversion fails", code: .unconvertibleDeviceToken) { _ in
            _ = try KoreDeviceToken(hex: "<a1b2>")
        },
        Case(group: "authentication", name: "expired access token", code: .tokenExpired) { world in
            world.kore.renewToken(of: "u-1", "new")
            try await world.push().subscribe(.first)
        },
        Case(group: "authentication", name: "invalid access token", code: .unauthorized) { world in
            try await world.push(token: "wrong").subscribe(.first)
        },
        Case(group: "authentication", name: "missing header", code: .missingAuthorization) { world in
            try await world.push(token: " ").subscribe(.first)
        },
        Case(group: "network", name: "timeout", code: .timedOut) { world in
            world.kore.fail(.stall)
            try await world.push(deadline: .milliseconds(50)).subscribe(.first)
        },
        Case(group: "network", name: "server unavailable", code: .serverUnavailable) { world in
            try await world.push(server: LoopbackServer.unusedPortURL()).subscribe(.first)
        },
        Case(group: "network", name: "invalid format", code: .invalidResponse) { world in
            world.kore.fail(.html)
            try await world.push().subscribe(.first)
        },
    ]

    @Test("each case has its code", arguments: cases)
    func code(_ row: Case) async throws {
        let world = try KoreWorld()
        #expect(await koreFailure { try await row.run(world) }?.code == row.code)
    }

    @Test("content that fails behind a success is a failure of the wire, behind a refusal the refusal")
    func brokenContent() async throws {
        for (status, code) in [
            (200, KorePushError.Code.serverUnavailable), (401, .unauthorized), (503, .serverUnavailable),
        ] {
            let server = try LoopbackServer { _ in .text("0123456789", status: status).fault(.close(.inBody(5))) }
            let error = await koreFailure { try await KoreWorld().push(server: server.url).subscribe(.first) }
            #expect(error?.code == code && error?.status == status, "\(status)")
        }
    }
}
