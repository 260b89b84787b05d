#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// `.ci/proofs wire-faults` sets how many, and runs it alone: then descriptors and memory are the process's own.
    @Suite("The wire: many faults leave nothing behind", .timeLimit(.minutes(60)), .paced)
    struct FaultRoundsTests {
        private static var descriptors: Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }

        @Test("each ends once, and then no connection, descriptor or memory is held")
        func rounds() async throws {
            let rows = PlayedResponse.all
            let peer = try RawPeer { _, connection in
                while let head = connection.head() {
                    let words = head.split(separator: " ")
                    let numbers = words.count == 3 ? words[1].split(separator: "/").compactMap { Int($0) } : []
                    // The rest of a refused body does not look like a head.
                    guard numbers.count == 2, rows.indices.contains(numbers[0]) else { return }
                    let bytes = rows[numbers[0]].bytes
                    if words[0] == "PUT", numbers[1] % 2 == 0 { _ = connection.read(1000) }
                    if words[0] == "PUT", numbers[1] % 3 == 0 { connection.write("HTTP/1.1 100 Go\r\n\r\n") }
                    connection.write(numbers[1] % 4 == 0 ? bytes : Array(bytes.prefix(numbers[1] % (bytes.count + 1))))
                    if numbers[1] % 5 == 0 { continue }
                    if numbers[1] % 5 == 1 { connection.breakOff() }
                    return
                }
            }
            let transport = CurlTransport.made() { $0.connectionsPerHost = 16 }
            let count = TestRounds.count(150)
            // What the process allocates once.
            try await send(max(200, count / 8), to: peer, rows, transport)
            await settle(transport)
            let (files, memory) = (Self.descriptors, FuzzMemory.resident)
            try await send(count, to: peer, rows, transport)
            await settle(transport)
            let statistics = await transport.statistics()
            #expect(statistics.running == 0 && statistics.waiting == 0, "\(statistics)")
            guard TestRounds.given != nil else { return }
            print(
                "faults: \(count) exchanges; descriptors \(files) before, \(Self.descriptors) behind;",
                "memory \(memory >> 10) KiB before, \(FuzzMemory.resident >> 10) behind; \(statistics)"
            )
            #expect(Self.descriptors <= files + 4)
            #expect(FuzzMemory.resident < memory + (8 << 20))
        }

        /// The kept connections are used up, so that nothing depends on when a server's thread closes its side.
        private func settle(_ transport: CurlTransport) async {
            while await transport.statistics().running > 0 { await Task.yield() }
        }

        private func send(
            _ count: Int,
            to peer: RawPeer,
            _ rows: [PlayedResponse],
            _ transport: CurlTransport
        ) async throws {
            struct Broken: Error {}
            var limits = Timeouts.unlimited
            limits.total = .seconds(1)
            let timeouts = limits
            let ended = Locked(0)
            try await concurrently(16) { worker in
                for round in stride(from: worker, to: count, by: 16) {
                    let index = round % rows.count
                    let place = url(peer.url.absoluteString + "\(index)/\(round % 97)")
                    var request = TransportRequest(method: rows[index].method, url: place, timeouts: timeouts)
                    switch round % 7 {
                    case 1, 2:
                        request.method = .put
                        let isBroken = round % 2 == 0
                        request.body = .stream(length: round % 3 == 0 ? 2000 : nil, isReplayable: true) {
                            AsyncThrowingStream {
                                $0.yield(Data(count: 1000))
                                if isBroken { $0.finish(throwing: Broken()) }
                                $0.yield(Data(count: 1000))
                                $0.finish()
                            }
                        }
                        if round % 5 == 0 { request.headers["Expect"] = "100-continue" }
                    case 3: request.delivery = .stream
                    case 4: request.delivery = .discard
                    default: break
                    }
                    let sent = request
                    let call = Task { _ = try await transport.send(sent).body.collect() }
                    if round % 11 == 0 { call.cancel() }
                    _ = await call.result
                    ended.withLock { $0 += 1 }
                }
            }
            #expect(ended.withLock { $0 } == count)
        }
    }
#endif
