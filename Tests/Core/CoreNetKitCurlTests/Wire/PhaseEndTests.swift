#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("The wire: cancellation and limits in each phase", .timeLimit(.minutes(10)), .paced)
    struct PhaseEndTests {
        enum Place: String, Sendable, CaseIterable {
            case waiting, inStatusLine, inHead, behindInterim, inContent, inChunkSize, inTrailers, sending, sourcePaused
            case awaitingContinue

            var says: String {
                switch self {
                case .waiting, .sending, .sourcePaused, .awaitingContinue: ""
                case .inStatusLine: "HTTP/1.1 2"
                case .inHead: "HTTP/1.1 200 OK\r\nContent-Le"
                case .behindInterim: "HTTP/1.1 103 Hints\r\nLink: <a>\r\n\r\n"
                case .inContent: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"
                case .inChunkSize: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1"
                case .inTrailers: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n"
                }
            }

            var phase: TransportError.Phase {
                switch self {
                case .waiting: .wait
                case .sending, .sourcePaused, .awaitingContinue: .send
                default: .receive
                }
            }

            func request(to url: URL, _ limits: Timeouts) -> TransportRequest {
                var request = TransportRequest(url: url, timeouts: limits)
                switch self {
                case .sending: request.body = .bytes(Data(count: 32 << 20))
                case .sourcePaused:
                    request.body = .pieces { _ in try await Self.never() }
                case .awaitingContinue:
                    request.body = .bytes(Data(count: 1 << 20))
                    request.headers["Expect"] = "100-continue"
                default: return request
                }
                request.method = .post
                return request
            }

            private static func never() async throws -> Data? {
                let stream = AsyncStream<Data> { _ in }
                for await piece in stream { return piece }
                throw CancellationError()
            }
        }

        /// Sends what the phase requires, and then nothing.
        private func peer(_ place: Place, _ said: Signal, _ closed: Signal, _ isOver: DispatchSemaphore) throws
            -> RawPeer
        {
            try RawPeer { peer, connection in
                guard peer.head(of: connection) != nil else { return }
                connection.write(place.says)
                said.signal()
                if place == .sending { _ = isOver.wait(timeout: .now() + 10) }
                connection.awaitEnd()
                closed.signal()
            }
        }

        @Test("a cancelled call ends, and so does its connection", arguments: Place.allCases, [false, true])
        func cancelled(place: Place, isStream: Bool) async throws {
            let (said, closed, isOver) = (Signal(), Signal(), DispatchSemaphore(value: 0))
            let peer = try peer(place, said, closed, isOver)
            let transport = CurlTransport.made()
            var request = place.request(to: peer.url, .unlimited)
            if isStream { request.delivery = .stream }
            let sent = request
            let call = Task {
                let response = try await transport.send(sent)
                return try await response.body.collect()
            }
            await said.wait()
            call.cancel()
            isOver.signal()
            await #expect(throws: CancellationError.self) { try await call.value }
            await closed.wait()
            let statistics = await transport.statistics()
            #expect(statistics.open == 0 && statistics.running == 0, "\(statistics)")
            #expect(peer.requests.count == 1)
        }

        @Test("the total limit expires in any phase", arguments: Place.allCases)
        func total(place: Place) async throws {
            var limits = Timeouts.unlimited
            // Long enough for a busy machine to get there; unrequested content is sent after a second.
            limits.total = place == .awaitingContinue ? .milliseconds(700) : .seconds(3)
            try await strikes(limits, place, place.phase)
        }

        @Test("the idle limit expires while bytes are being transferred", arguments: Place.allCases)
        func idle(place: Place) async throws {
            // A source that gives nothing is its caller's concern, and until the first byte another limit counts.
            guard place != .sourcePaused, place != .waiting else { return }
            var limits = Timeouts.unlimited
            limits.idle = place == .awaitingContinue ? .milliseconds(700) : .seconds(1)
            try await strikes(limits, place, place.phase)
        }

        @Test("the first byte's limit expires after everything was sent, to the millisecond", arguments: [200, 500])
        func firstByte(limit: Int) async throws {
            var limits = Timeouts.unlimited
            limits.firstByte = .milliseconds(limit)
            let error = try await strikes(limits, .waiting, .wait)
            #expect(error?.message.contains("no first byte within \(limit) ms") == true)
            // By the transport's own clock: the test's task may be resumed late.
            let time = error?.timings.total ?? .zero
            #expect(time >= .milliseconds(limit) && time < .milliseconds(limit + 20_000))
        }

        @discardableResult
        private func strikes(_ limits: Timeouts, _ place: Place, _ phase: TransportError.Phase) async throws
            -> TransportError?
        {
            let (said, closed, isOver) = (Signal(), Signal(), DispatchSemaphore(value: 0))
            let peer = try peer(place, said, closed, isOver)
            let transport = CurlTransport.made()
            let error = await #expect(throws: TransportError.self) {
                let response = try await transport.send(place.request(to: peer.url, limits))
                _ = try await response.body.collect()
            }
            isOver.signal()
            #expect(error?.code == .timedOut && error?.phase == phase, "\(String(describing: error))")
            #expect(error?.isSafeToResend == false)
            await closed.wait()
            let statistics = await transport.statistics()
            #expect(statistics.open == 0 && statistics.running == 0, "\(statistics)")
            return error
        }

        @Test("a slow reader stalls the server, and reads everything in the end")
        func slowReader() async throws {
            let written = Locked(0)
            let (size, piece) = (64 << 20, 1 << 20)
            let peer = try RawPeer { _, connection in
                guard connection.head() != nil else { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                for _ in 0..<size / piece {
                    connection.write([UInt8](repeating: 7, count: piece))
                    written.withLock { $0 += piece }
                }
            }
            let transport = CurlTransport.made()
            let stream = try await transport.stream(TransportRequest(url: peer.url, timeouts: .unlimited))
            var (total, reader) = (0, stream.makeAsyncIterator())
            while let chunk = try await reader.next() {
                total += chunk.count
                // Nothing was read ahead: the rest is in the kernel.
                #expect(written.withLock { $0 } - total < 24 << 20)
                if total > 40 << 20 { break }
            }
            while let chunk = try await reader.next() { total += chunk.count }
            #expect(total == size)
        }
    }
#endif
