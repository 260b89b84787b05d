import CoreNetKit
import CoreNetKitSockets
import Foundation
import TestPace
import Testing

#if os(Linux)
    private let autobahn = ProcessInfo.processInfo.environment["AUTOBAHN_URL"]

    /// The cases of Autobahn's fuzzing server that `AUTOBAHN_URL` names, as `.ci/autobahn` starts it.
    @Suite(
        "Sockets with Autobahn",
        .timeLimit(.minutes(60)),
        .enabled(if: autobahn != nil, "needs Autobahn's fuzzing server, and its URL in AUTOBAHN_URL"),
        .serialized,
        .paced
    )
    struct AutobahnTests {
        /// What the server says of a case, for this agent.
        private struct Status: Decodable, Sendable { var behavior: String }

        private func chain(_ path: String) throws -> UrlChainsBuilder<String> {
            UrlChainsBuilder<String>(client: Client(seed: 1)).route(.get, try #require(autobahn) + path)
        }

        private let options = SocketOptions { options in
            (options.messageLimit, options.keepAlive) = (64 << 20, nil)
            options.compression = .deflate(windowBits: 15, keepsContext: true, above: 0)
        }

        @Test("no case fails, and none is left out")
        func cases() async throws {
            var counting = try await chain("/getCaseCount").rawSocket(options).process().makeAsyncIterator()
            guard case .text(let text) = try await counting.next() else { throw CancellationError() }
            let count = try #require(Int(text))
            var behaviors: [String: Int] = [:]
            for number in 1...count {
                let path = "/runCase?case=\(number)&agent=CoreNetKit"
                // What a case breaks off is right or wrong by what the server says.
                do {
                    let socket = try await chain(path).rawSocket(options).process()
                    for try await message in socket { try await socket.send(message) }
                } catch {}
                let verdict: Chain<Void, Socket<Status, String>> = try chain(
                    "/getCaseStatus?case=\(number)&agent=CoreNetKit"
                )
                .socket(reading: .json, writing: .text, options)
                var statuses = try await verdict.process().makeAsyncIterator()
                let behavior = try await statuses.next()?.behavior ?? "nothing"
                behaviors[behavior, default: 0] += 1
                if !["OK", "NON-STRICT", "INFORMATIONAL"].contains(behavior) {
                    Issue.record("case \(number): \(behavior)")
                }
            }
            _ = try await chain("/updateReports?agent=CoreNetKit").rawSocket(options).process().collect()
            #expect(behaviors["NON-STRICT", default: 0] <= 3, "\(behaviors)")
        }
    }
#endif
