import CoreNetKit
import CoreNetKitFleet
import Foundation
import Synchronization

/// Sends a request with a shared token for each line `go`; `kill before`, `kill after`, `stop before` and `stop after` end the
/// process around its next refresh, or stop it there until somebody lets it go on.
struct Refreshing {
    struct Login: TokenCredential, Codable {
        var access: String
        var refresh: String
        var accessToken: AccessToken { AccessToken(access) }
    }

    private final class Fate: Sendable {
        private let word = Mutex("")

        func set(_ text: String) { word.withLock { $0 = text } }

        func come(_ place: String) {
            // Once: who goes on after a stop has had its fate.
            let met = word.withLock { word in
                guard word.hasSuffix(" \(place)") else { return "" }
                defer { word = "" }
                return word
            }
            if met.hasPrefix("kill") { kill(getpid(), SIGKILL) }
            // To this thread: it goes no further, while a signal to the process may wait for another one to be scheduled.
            if met.hasPrefix("stop") { pthread_kill(pthread_self(), SIGSTOP) }
        }
    }

    private let chain: Chain<Void, String>
    private let refresher: TokenRefresher
    private let fate = Fate()

    init(_ store: ValkeyStore, server: String, spendsAgain: Bool) {
        let fate = fate
        guard let key = try? SealingKey(id: "test", Data(repeating: 7, count: 32)) else { exit(3) }
        let token = UrlChainsBuilder<String>(client: Client()).encode(as: .json).route(.post, "\(server)/token")
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
            fate.come("before")
            let renewed: Login = try await token.build().process(current ?? Login(access: "", refresh: "none"))
            fate.come("after")
            return renewed
        }
        chain = UrlChainsBuilder<String>(client: Client().authorize(refresher)).route(.get, "\(server)/").build()
    }

    func run() async {
        FleetProgram.say("ready")
        while let line = readLine() {
            switch line {
            case "go":
                do { FleetProgram.say("ok \(try await chain.process() as String)") } catch {
                    FleetProgram.say("error \((error as? NetworkError).map { "\($0.code)" } ?? "\(error)")")
                }
            default:
                fate.set(line)
                FleetProgram.say("will \(getpid())")
            }
        }
    }
}
