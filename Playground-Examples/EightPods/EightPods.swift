import CoreNetKit
import CoreNetKitFleet
import CoreNetKitLoopback
import Foundation
import ProgramArguments

/// Eight processes that act as one client over a real server: one refresh per expiry, one rate, one cache.
///
///     swift run EightPods                     starts redis-server or valkey-server, where one is installed
///     swift run EightPods /run/valkey.sock    uses one that is there
///     swift run EightPods - picture.svg       writes the picture there
///
/// It starts itself eight times. Without a server the pods are eight clients in this process, over a `LocalStore`.
@main
struct EightPods {
    static let count = 8
    static let rate = 400
    static let burst = 8
    static let length = Duration.seconds(3)

    static func main() async throws {
        let words = CommandLine.arguments
        if words.count == 5, words[1] == "pod", let number = Int(words[2]) {
            let store = ValkeyStore(.unix(words[3]), timeout: .milliseconds(200))
            return try await Pod(number, store, server: words[4]).run()
        }
        let arguments = ProgramArguments(
            """
            usage: EightPods [SOCKET|- [PICTURE]]

            Draws what eight processes share over a server, which it starts for itself.
            """,
            values: 2
        )
        .values
        let named = arguments.first.flatMap { $0 == "-" ? nil : $0 }
        if let named, !FileManager.default.fileExists(atPath: named) {
            print("there is no socket at \(named): name that of a Valkey or Redis server, or none")
            exit(1)
        }
        let shop = try Shop()
        let server = named == nil ? StoreServer() : nil
        if let socket = named ?? server?.socket {
            print("\(count) processes over \(named ?? server?.name ?? "")")
            try await processes(socket, shop)
        } else {
            print("no redis-server or valkey-server is installed: \(count) clients of one process over a LocalStore")
            try await clients(shop)
        }
        server?.end()
        let story = shop.story
        print(story.text)
        let path = arguments.count > 1 ? arguments[1] : NSTemporaryDirectory() + "eight-pods.svg"
        try Data(story.picture.utf8).write(to: URL(fileURLWithPath: path))
        print("picture: \(path)")
        exit(story.isAsExpected ? 0 : 1)
    }

    private static func processes(_ socket: String, _ shop: Shop) async throws {
        let children = try (1...count).map { number in
            try Child([CommandLine.arguments[0], "pod", "\(number)", socket, shop.address])
        }
        try await shop.open()
        for child in children { await child.ended() }
    }

    private static func clients(_ shop: Shop) async throws {
        let store = LocalStore()
        let pods = try (1...count).map { try Pod($0, store, server: shop.address) }
        try await withThrowingTaskGroup { group in
            for pod in pods { group.addTask { try await pod.run() } }
            try await shop.open()
            try await group.waitForAll()
        }
    }
}
