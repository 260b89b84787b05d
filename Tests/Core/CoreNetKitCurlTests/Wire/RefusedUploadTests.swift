#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("The wire: responses and ends while a body is sent", .timeLimit(.minutes(10)), .paced)
    struct RefusedUploadTests {
        /// How 8 MiB are provided.
        enum Kind: String, Sendable, CaseIterable {
            case bytes, sequence, chunked

            static let size = 8 << 20

            var body: RequestBody {
                if self == .bytes { return .bytes(Data(count: Self.size)) }
                return .pieces(length: self == .sequence ? Int64(Self.size) : nil, isReplayable: true) { number in
                    number * (64 << 10) <= Self.size ? Data(count: 64 << 10) : nil
                }
            }
        }

        /// What the server sends after part of the body, and how it continues.
        struct Early: Sendable, CustomTestStringConvertible {
            let says: String
            var reads = 100_000
            var end = CutConnectionTests.End.close
            var status: Int?
            var code: TransportError.Code?
            var phase: TransportError.Phase = .receive
            var isSafe = false
            var testDescription: String { "\(says.prefix(30).debugDescription) behind \(reads), \(end)" }
        }

        static let rows: [Early] = CutConnectionTests.End.allCases.flatMap { end in
            [
                Early(
                    says: "HTTP/1.1 413 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno",
                    end: end,
                    status: 413
                ),
                Early(says: "HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno", reads: 0, end: end, status: 401),
                Early(says: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", end: end, status: 200),
                Early(says: "HTTP/1.1 303 There\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", end: end, status: 303),
                Early(says: "HTTP/1.1 500 Oh\r\nContent-Length: 9\r\n\r\nno", end: end, status: 500),
                Early(says: "HTTP/1.1 50", end: end, code: .connectionLost),
                Early(says: "garbage", end: end, code: .invalidResponse),
                Early(says: "<html>\r\n\r\n", end: end, code: .invalidResponse),
                Early(says: "ICY 200 OK\r\n\r\n", end: end, code: .invalidResponse),
                Early(says: "HTTP/2 200 OK\r\n\r\n", end: end, code: .invalidResponse),
                Early(says: "", end: end, code: .connectionLost, phase: .send),
                Early(says: "", reads: 0, end: end, code: .connectionLost, phase: .send),
            ]
        }

        @Test(
            "a response that has its head is returned, anything else is an error that reports its progress",
            arguments: rows,
            Kind.allCases
        )
        func early(row: Early, kind: Kind) async throws {
            let peer = try RawPeer { peer, connection in
                guard peer.head(of: connection) != nil else { return }
                _ = connection.read(row.reads)
                connection.write(row.says)
                if row.end == .reset { connection.breakOff() }
            }
            let transport = CurlTransport()
            let request = TransportRequest(method: .post, url: peer.url, body: kind.body)
            do {
                let response = try await transport.send(request)
                #expect(response.status == row.status)
            } catch let error as TransportError {
                #expect(error.code == row.code && error.phase == row.phase, "\(error)")
                #expect(error.isSafeToResend == row.isSafe)
            }
            #expect(peer.requests.count == 1)
            let statistics = await transport.statistics()
            #expect(statistics.open == 0 && statistics.running == 0, "\(statistics)")
        }

        @Test("blocked sending does not stop a long response from arriving", arguments: Kind.allCases)
        func blocked(kind: Kind) async throws {
            let content = 4 << 20
            let peer = try RawPeer { peer, connection in
                guard connection.head() != nil else { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(content)\r\n\r\n")
                for _ in 0..<64 { connection.write([UInt8](repeating: 0x2A, count: content / 64)) }
                connection.awaitEnd()
            }
            let transport = CurlTransport.made()
            let response = try await transport.send(TransportRequest(method: .post, url: peer.url, body: kind.body))
            #expect(response.status == 200 && response.body.data?.count == content)
        }

        @Test("a lost kept connection is detected, and the body is sent whole on a new one", arguments: Kind.allCases)
        func gone(kind: Kind) async throws {
            let received = Locked(0)
            let peer = try RawPeer { peer, connection in
                while let head = peer.head(of: connection) {
                    if head.hasPrefix("PUT") {
                        guard connection.index > 0 else { return connection.breakOff() }
                        let count = kind == .chunked ? nil : connection.read(Kind.size).count
                        if let count { received.withLock { $0 = count } }
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                        return connection.awaitEnd()
                    }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                }
            }
            let transport = CurlTransport.made()
            _ = try await transport.send(TransportRequest(url: peer.url))
            let response = try await transport.send(TransportRequest(method: .put, url: peer.url, body: kind.body))
            #expect(response.status == 200)
            #expect(peer.requests.map { $0.prefix(3) } == ["GET", "PUT", "PUT"])
            if kind != .chunked { #expect(received.withLock { $0 } == Kind.size) }
        }
    }
#endif
