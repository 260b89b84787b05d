import CoreNetKit
import CoreNetKitMock
import TestPace
import Testing
import TestSupport

@Suite("A refresh that is no longer wanted", .timeLimit(.minutes(10)), .paced)
struct TokenCancelTests {
    typealias World = TokenRefreshTests.World

    struct LoginError: Error {}

    @Test("is cancelled by a logout and by a login: nothing waits for its own end", arguments: [true, false])
    func cancelled(isLogout: Bool) async throws {
        let world = World()
        let refresher = world.refresher()
        let call = Task { await failure { try await world.chain(refresher).process() } }
        await refresher.waiting(1)
        await world.gate.arrived(1)
        refresher.set(isLogout ? nil : AccessToken("t1"))
        // The gate is never opened.
        await refresher.idle()
        #expect(await call.value?.code == .userChanged)
    }

    @Test("that failed is not reported as one whose token could not be saved")
    func failed() async throws {
        let world = World()
        world.gate.open()
        let refresher = world.refresher(failing: LoginError())
        let error = await failure { try await world.chain(refresher).process() }
        #expect(error?.message.contains("the refresh of the token failed") == true)
        #expect(error?.message.contains("saved") == false)
    }
}
