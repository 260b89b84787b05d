import CoreNetKitPeer
import CoreNetKitSockets
import CoreNetKitWire
import TestSupport

#if os(Linux)
    @Suite("Sockets over a wire", .timeLimit(.minutes(10)), .paced)
    struct LoopbackSocketTests {
        @Test("lose nothing that comes in one piece with the head of the response")
        func early() async throws {
            let frames = (0..<100).map { SocketFrame(.text, Data("\($0)".utf8)).bytes(mask: nil) }
            let wire = try SocketWire(.socket(bytesAfterHead: Data(frames.joined())) { _ in })
            for _ in 0..<20 {
                let socket = try await wire.texts().process()
                #expect(try await socket.collect() == (0..<100).map { "\($0)" })
            }
        }

        @Test("cut at each byte give the messages before the cut, and then an error")
        func cut() async throws {
            let texts = ["a", "bc", String(repeating: "d", count: 130)]
            let frames = texts.map { SocketFrame(.text, Data($0.utf8)).bytes(mask: nil) }
            let bytes = Data(frames.joined())
            let place = Locked(0)
            let server = try SocketWire { _ in
                let count = place.withLock { $0 }
                return .socket(bytesAfterHead: bytes) { while try await $0.next() != .end {} }
                    .fault(count % 2 == 0 ? .close(.inBody(count)) : .reset(.inBody(count)))
            }
            for count in 0..<bytes.count where count < 20 || count % 16 == 0 {
                place.withLock { $0 = count }
                let socket = try await server.texts().process()
                var (found, end) = ([String](), 0)
                let whole = frames.prefix {
                    end += $0.count
                    return end <= count
                }.count
                let (error, cause) = await socketFailure { for try await text in socket { found.append(text) } }
                #expect(error?.code == .connectionLost && cause?.code == .cut, "\(count): \(String(describing: error))")
                // A reset may overtake what was sent before it.
                #expect(count % 2 == 0 ? found == Array(texts.prefix(whole)) : texts.starts(with: found), "\(count)")
            }
        }

        @Test("open behind a redirect and a refused token, with a key of their own each time")
        func chain() async throws {
            let wire = try SocketWire { request in
                switch (request.path, request.headers["Authorization"]) {
                case ("/socket", _): .status(307, headers: ["Location": "/real"])
                case (_, "Bearer 2"): .socket { $0.send(text: "hello") }
                default: .status(401)
                }
            }
            let socket = try await wire.texts(Client(seed: 1).authorize(.counting())).process()
            #expect(try await socket.collect() == ["hello"])
            let keys = wire.server.requests.compactMap { $0.headers["Sec-WebSocket-Key"] }
            #expect(keys.count == 4 && Set(keys).count == 4)
        }

        @Test("have the status of a refusal whose content never ends, and read only its beginning")
        func endlessRefusal() async throws {
            let (sent, piece) = (Locked(0), Data(count: 1 << 16))
            var reply = LoopbackResponse.stream { _ in sent.next() > 0 ? piece : nil }
            reply.status = 403
            let wire = try SocketWire(reply)
            let (error, _) = await socketFailure { _ = try await wire.texts().process() }
            #expect(error?.code == .forbidden && (error?.response?.body.count ?? .max) <= 1 << 20)
            // What the buffers of both sockets take, and no more.
            #expect(sent.withLock { $0 < 256 })
        }

        @Test("end with an error when the server is killed in the middle of a message")
        func killed() async throws {
            let wire = try SocketWire.play { peer in
                peer.send(bytes: Data([0x82, 0x7E, 0x10, 0x00]) + Data(count: 100))
                while try await peer.next() != .end {}
            }
            let socket = try await wire.texts().process()
            await until { socket.statistics.bytesReceived == 104 }
            wire.server.stop()
            await expectFailure(.connectionLost) { _ = try await socket.collect() }
        }

        @Test("leave no connection behind: closed, dropped, cancelled or broken")
        func leaves() async throws {
            let wire = try SocketWire(.echo)
            for round in 0..<40 {
                let socket = try await wire.texts().process()
                try await socket.send("x")
                switch round % 3 {
                case 0: await socket.close()
                case 1: break
                default:
                    let reader = Task { try await socket.collect() }
                    reader.cancel()
                    _ = try? await reader.value
                }
            }
            await until { wire.server.counts.open == 0 }
            #expect(wire.server.counts.connections == 40)
        }

        @Test(
            "through breaks lose nothing without an error, and bring nothing twice or out of order",
            arguments: [1, 2] as [UInt64]
        )
        func soak(_ seed: UInt64) async throws {
            let random = Locked(SplitMix64(seed: seed))
            let seen = Locked<[Int]>([])
            let wire = try SocketWire.play { peer in
                let life = random.withLock { Int.random(in: 1...60, using: &$0) }
                for _ in 0..<life {
                    guard case .text(let text) = try await peer.message(), let number = Int(text) else { return }
                    seen.withLock { $0.append(number) }
                    peer.send(text: text)
                }
                peer.drop()
            }
            let socket = try await wire.texts(Client(seed: 1)) { options in
                options.reconnection = .standard
                (options.reconnection.floor, options.reconnection.initial) = (.zero, .milliseconds(1))
                options.reconnection.cap = .milliseconds(1)
            }.process()
            let reader = Task {
                try await socket.collect().map { Int($0) ?? -1 }
            }
            for number in 0..<500 {
                // Who knows that nothing left sends it again.
                while await failure(of: { try await socket.send("\(number)") })?.isSafeToResend == true {}
            }
            await socket.close()
            let numbers = try await reader.value
            let arrived = seen.withLock { $0 }
            #expect(arrived == arrived.sorted() && Set(arrived).count == arrived.count)
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
            #expect(Set(numbers).isSubset(of: arrived))
            // How many depends on when a break is noticed.
            #expect(socket.statistics.reconnects > 2)
        }
    }
#endif
