import CoreNetKitSockets
import TestSupport

#if os(Linux)
    /// `.ci/proofs socket-soak` sends 100 000 messages each way.
    @Suite(
        "A socket over connections that break at random",
        .timeLimit(.minutes(60)),
        .paced,
        // Alone: a reader that gets no turn for five seconds may be given again what it has not read.
        .enabled(if: TestRounds.given != nil, "TEST_ROUNDS is the number of messages")
    )
    struct SocketSoakTests {
        private static let count = TestRounds.count(1500)
        private static let seed = TestRounds.seed(1)

        /// What the server has got: the numbers of each sender, by connection.
        private typealias Got = [[[Int]]]

        /// What became of what a sender has sent.
        private struct Sent: Sendable {
            /// The operating system has it.
            var taken: Set<Int> = []
            /// It may have left, and the sender was told so.
            var unsure: Set<Int> = []
            var errors = 0
        }

        private static let senders = 3

        @Test("loses nothing without an error, and gives nothing twice or out of order", arguments: [false, true])
        func soak(isCompressed: Bool) async throws {
            let got = Locked<Got>([])
            let random = Locked(SplitMix64(seed: Self.seed))
            let server = try LoopbackServer(recording: .off) { _ in
                Self.response(got, SplitMix64(seed: random.withLock { $0.next() }))
            }
            defer { server.stop() }
            let (position, isSent) = (Locked(0), Locked(false))
            let url = server.url("/socket").absoluteString.replacingOccurrences(of: "http:", with: "ws:")
            let socket = try await UrlChainsBuilder<String>(client: Client(seed: Self.seed)).route(.get, url)
                .texts { options in
                    options.reconnection = .standard
                    (options.reconnection.initial, options.reconnection.floor) = (.milliseconds(2), .zero)
                    options.reconnection.cap = .milliseconds(10)
                    if isCompressed { options.compression = .deflate(above: 16) }
                }
                .resuming { _ in ["from \(position.withLock { $0 } + 1)\(isSent.withLock { $0 } ? " last" : "")"] }
                .process()

            async let read = Self.read(socket, position)
            let sent = try await concurrently(Self.senders) { sender in
                (sender, try await Self.send(Self.count / Self.senders, as: sender, over: socket))
            }.reduce(into: [Int: Sent]()) { $0[$1.0] = $1.1 }
            // The server sends when it gets something: what was on its way as a connection broke may have been the end of all.
            isSent.withLock { $0 = true }
            while position.withLock({ $0 }) < Self.count, (try? await socket.send("last")) == nil {}
            let wrong = try await read
            #expect(wrong == [], "of the server")
            let reconnects = socket.statistics.reconnects
            await socket.close()
            let connections = got.withLock { $0 }
            for sender in 0..<Self.senders {
                let problems = Self.problems(of: sender, try #require(sent[sender]), connections)
                #expect(problems == [], "of sender \(sender)")
            }
            // Something has been tried.
            #expect(reconnects > Self.count / 500)
            let (errors, unsure) = sent.values.reduce((0, 0)) { ($0.0 + $1.errors, $0.1 + $1.unsure.count) }
            print(
                "socket soak: \(Self.count) messages, \(reconnects) reconnections, \(errors) errors, \(unsure) unsure"
            )
        }

        // MARK: - The client

        /// Reads all numbers of the server; returns what was not as it should be.
        private static func read(_ socket: Socket<String, String>, _ position: Locked<Int>) async throws -> [String] {
            var random = SplitMix64(seed: seed &+ 7)
            var wrong: [String] = []
            for try await text in socket {
                guard let number = Int(text) else {
                    wrong.append(text)
                    continue
                }
                let last = position.withLock { $0 }
                if number != last + 1, wrong.count < 10 { wrong.append("\(number) after \(last)") }
                // A reader that is slow at times: the inbox fills, and connections break meanwhile.
                if random.next() % 8 == 0 { for _ in 0..<random.next() % 200 { await Task.yield() } }
                position.withLock { $0 = number }
                if number >= count { break }
            }
            return wrong
        }

        private static func send(_ count: Int, as sender: Int, over socket: Socket<String, String>) async throws -> Sent
        {
            var sent = Sent()
            var number = 1
            let padding = String(repeating: "x", count: 1 + sender * 400)
            while number <= count {
                do {
                    try await socket.send("\(sender) \(number) \(padding)")
                    sent.taken.insert(number)
                } catch let error as NetworkError {
                    sent.errors += 1
                    // What cannot have left is sent again; the rest is not.
                    if error.isSafeToResend { continue }
                    sent.unsure.insert(number)
                }
                number += 1
            }
            return sent
        }

        // MARK: - The server

        private static func response(_ got: Locked<Got>, _ random: SplitMix64) -> LoopbackResponse {
            var random = random
            // Now and then no connection at all; the first one is opened, not restored.
            let isRestored = got.withLock { !$0.isEmpty }
            if random.next() % 12 == 0, isRestored { return .status(503) }
            let cut = random.next() % 4 == 0 ? Int(random.next() % 4000) : nil
            let seed = random.next()
            let response = LoopbackResponse.socket { peer in try await play(peer, got, SplitMix64(seed: seed)) }
            return cut.map { response.fault(.reset(.inBody($0))) } ?? response
        }

        private static func play(_ peer: SocketPeer, _ got: Locked<Got>, _ random: SplitMix64) async throws {
            var random = random
            let place = got.withLock { got in
                got.append(Array(repeating: [], count: senders))
                return got.count - 1
            }
            var next = Int.max
            var left = 5 + Int(random.next() % 200)
            while left > 0 {
                guard case .text(let text) = try await peer.message() else { return }
                let words = text.split(separator: " ")
                let isLast = words.last == "last"
                if words[0] == "from" {
                    next = Int(words[1]) ?? 1
                } else if words.count > 1, let sender = Int(words[0]), let number = Int(words[1]) {
                    got.withLock { $0[place][sender].append(number) }
                }
                let burst = random.next() % 5
                // Behind the last message nothing breaks any more, and the rest is sent.
                for _ in 0..<(isLast ? .max : burst) {
                    guard next <= count else { break }
                    peer.send(text: "\(next)")
                    next += 1
                }
                left = isLast ? .max : left - 1
            }
            switch random.next() % 4 {
            case 0: peer.drop()
            case 1: peer.end()
            case 2: peer.send(bytes: Data([0x81])); peer.drop()
            default: peer.close([1001, 1011, 1012, 1013][Int(random.next() % 4)])
            }
        }

        // MARK: - What must hold

        private static func problems(of sender: Int, _ sent: Sent, _ connections: [[[Int]]]) -> [String] {
            var problems: [String] = []
            var last = 0
            for (place, connection) in connections.enumerated() {
                for (index, number) in connection[sender].enumerated() {
                    if number <= last { problems.append("\(number) behind \(last)") }
                    // Within a connection there are no gaps but what the sender was told of.
                    if index > 0, (last + 1..<max(number, last + 1)).contains(where: { !sent.unsure.contains($0) }) {
                        problems.append("\(last) and then \(number) in connection \(place)")
                    }
                    if !sent.taken.contains(number), !sent.unsure.contains(number) {
                        problems.append("\(number) was not sent")
                    }
                    last = max(last, number)
                }
            }
            return Array(problems.prefix(10))
        }
    }
#endif
