import CoreNetKit
import CoreNetKitFleet
import Foundation
import Synchronization

/// Sends a request with a shared token for each line `go`; `before` and `after` kill the process around its next refresh.
struct Refreshing {
    struct Login: TokenCredential, Codable {
        var access: String
        var refresh: String
        var accessToken: AccessToken { AccessToken(access) }
    }

    private final class Death: Sendable {
        private let place = Mutex("")

        func set(_ text: String) { place.withLock { $0 = text } }
        func come(_ text: String) { if place.withLock({ $0 }) == text { kill(getpid(), SIGKILL) } }
    }

    private let chain: Chain<Void, String>
    private let refresher: TokenRefresher
    private let death = Death()

    init(_ store: ValkeyStore, server: String, spendsAgain: Bool) {
        let death = death
        let key = try? SealingKey(id: "test", Data(repeating: 7, count: 32))
        guard let key else { exit(3) }
        let token = UrlChainsBuilder<String>(client: Client())
            .encode(as: .json)
            .route(.post, "\(server)/token")
        refresher = TokenRefresher(
            shared: SharedCredentials(
                store,
                named: "test",
                sealing: SealingKeys(key),
                afterLostRefresh: spendsAgain ? .spendAgain : .endSession,
                lease: .milliseconds(1500)
            ),
            token: Login(access: "a0", refresh: "r0"),
            origins: [server],
            user: "ann",
            coolDown: .zero
        ) { (current: Login?) in
            death.come("before")
            let renewed: Login = try await token.build().process(current ?? Login(access: "", refresh: "none"))
            death.come("after")
            return renewed
        }
        chain = UrlChainsBuilder<String>(client: Client().authorize(with: refresher))
            .route(.get, "\(server)/")
            .build()
    }

    func run() async {
        FleetProgram.say("ready")
        while let line = readLine() {
            switch line {
            case "go":
                do {
                    let text: String = try await chain.process()
                    FleetProgram.say("ok \(text)")
                } catch let error as NetworkError {
                    FleetProgram.say("error \(error.code)")
                } catch {
                    FleetProgram.say("error \(error)")
                }
            default:
                death.set(line)
                FleetProgram.say("will")
            }
        }
    }
}
