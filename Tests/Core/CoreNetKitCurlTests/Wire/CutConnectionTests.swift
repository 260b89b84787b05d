#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport

    @Suite("The wire: connections that end too early", .timeLimit(.minutes(10)), .paced)
    struct CutConnectionTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

        enum End: String, Sendable, CaseIterable {
            case close, reset
        }

        static let messages = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n",
        ]

        /// Sends part of the message in response to a connection's last request, and ends the connection.
        private func peer(_ message: String, isKept: Bool, _ end: End) throws -> RawPeer {
            try RawPeer { peer, connection in
                while let head = connection.head() {
                    let words = head.split(separator: " ")
                    if words[0] == "POST" { _ = connection.read(3) }
                    guard let count = Int(words[1].dropFirst()) else {
                        connection.write(Self.ok)
                        continue
                    }
                    peer.note(head)
                    // The request is sent again on its own connection.
                    let isAgain = isKept && peer.requests.count { $0 == head } > 1
                    connection.write(isAgain ? message : String(message.prefix(count)))
                    if end == .reset { connection.breakOff() }
                    return
                }
            }
        }

        @Test(
            "at each byte: a complete response is a response, anything else reports its progress, and no request is made twice",
            arguments: messages,
            End.allCases
        )
        func cuts(message: String, end: End) async throws {
            for isKept in [false, true] {
                for method in [HTTPMethod.get, .post] {
                    let peer = try peer(message, isKept: isKept, end)
                    let transport = CurlTransport.made()
                    for count in 0...message.count {
                        try await cut(count, of: message.count, method, isKept: isKept, peer, transport)
                    }
                    #expect(await transport.statistics().running == 0)
                }
            }
        }

        private func cut(
            _ count: Int,
            of whole: Int,
            _ method: HTTPMethod,
            isKept: Bool,
            _ peer: RawPeer,
            _ transport: CurlTransport
        ) async throws {
            if isKept { _ = try await transport.send(TransportRequest(url: url(peer.url.absoluteString + "first"))) }
            let place = url(peer.url.absoluteString + "\(count)")
            let body = method == .post ? RequestBody.bytes(Data("abc".utf8)) : .empty
            let delivery: ResponseDelivery = count % 2 == 0 ? .stream : .collect
            let request = TransportRequest(method: method, url: place, body: body, delivery: delivery)
            let what = "\(method.rawValue), \(count) of \(whole), \(isKept ? "kept" : "new")"
            let isRepeated = isKept && count == 0 && method == .get
            do {
                let response = try await transport.send(request)
                let content = try await response.body.collect()
                #expect(count == whole || isRepeated, "\(what)")
                #expect(content == Data("hello".utf8), "\(what)")
            } catch let error as TransportError {
                #expect(count < whole && !isRepeated, "\(what): \(error)")
                #expect(error.code == .connectionLost, "\(what): \(error)")
                #expect(error.phase == (count == 0 ? .wait : .receive), "\(what): \(error)")
                #expect(!error.isSafeToResend, "\(what)")
            }
            #expect(
                peer.requests.count { $0.hasPrefix("\(method.rawValue) /\(count) ") } == (isRepeated ? 2 : 1),
                "\(what)"
            )
        }

        @Test(
            "a body that fails after a 100 ends the exchange once, whatever followed that 100",
            arguments: ["200 OK", "nonsense"]
        )
        func failingBody(behind: String) async throws {
            let peer = try RawPeer { peer, connection in
                while let head = peer.head(of: connection) {
                    let rest = behind == "nonsense" ? behind : "HTTP/1.1 \(behind)\r\nContent-Length: 0\r\n\r\n"
                    connection.write(head.hasPrefix("PUT") ? "HTTP/1.1 100 Go\r\n\r\n" + rest : Self.ok)
                    if head.hasPrefix("PUT") { return connection.awaitEnd() }
                }
            }
            struct Broken: Error {}
            let transport = CurlTransport.made()
            for _ in 0..<20 {
                let body = RequestBody.stream(length: 3, isReplayable: false) {
                    AsyncThrowingStream { $0.finish(throwing: Broken()) }
                }
                var request = TransportRequest(method: .put, url: peer.url, body: body)
                request.headers = ["Expect": "100-continue"]
                do {
                    // The response may be there before the body is known to have failed.
                    let response = try await transport.send(request)
                    #expect(behind == "200 OK" && response.status == 200)
                } catch let error as TransportError {
                    #expect([.requestBodyFailed, .invalidResponse].contains(error.code), "\(error)")
                }
                let next = try await transport.send(TransportRequest(url: peer.url))
                #expect(next.body.data == Data("ok".utf8))
            }
            let statistics = await transport.statistics()
            #expect(statistics.running == 0 && statistics.open == 1 && statistics.idle == 1, "\(statistics)")
        }

        @Test(
            "a broken connection that speaks another protocol is lost; a closed one has ended",
            arguments: End.allCases
        )
        func switched(end: End) async throws {
            let peer = try RawPeer { _, connection in
                guard connection.head() != nil else { return }
                connection.write("HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello")
                if end == .reset { connection.breakOff() }
            }
            let transport = CurlTransport.made()
            var request = TransportRequest(url: peer.url, delivery: .duplex)
            request.headers = ["Connection": "Upgrade", "Upgrade": "x"]
            guard case .duplex(let stream) = try await transport.send(request).body else { throw CancellationError() }
            var code: TransportError.Code?
            var bytes = Data()
            do {
                while let chunk = try await stream.receive() { bytes += chunk }
            } catch let error as TransportError {
                code = error.code
            }
            #expect(bytes == Data("hello".utf8))
            #expect(code == (end == .reset ? .connectionLost : nil))
            let statistics = await transport.statistics()
            #expect(statistics.open == 0 && statistics.running == 0, "\(statistics)")
        }

        @Test("a response that came with the 100 is the response, even if the connection broke after it")
        func responseBehindContinue() async throws {
            let peer = try RawPeer { peer, connection in
                guard connection.head() != nil else { return }
                connection.write("HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 413 Large\r\nContent-Length: 2\r\n\r\nno")
                connection.breakOff()
            }
            let transport = CurlTransport.made()
            var request = TransportRequest(method: .put, url: peer.url, body: .bytes(Data(count: 1 << 20)))
            request.headers = ["Expect": "100-continue"]
            for _ in 0..<50 {
                let response = try await transport.send(request)
                #expect(response.status == 413 && response.body.data == Data("no".utf8))
            }
        }
    }

    @Suite("Curl: an error instead of a file", .timeLimit(.minutes(10)), .paced)
    struct DrippingErrorTests {
        @Test(
            "content that drips ends after its time, with what has arrived, and so does its connection",
            arguments: HTTPChoice.all
        )
        func drips(http: HTTPChoice) async throws {
            let peer = try RawPeer { peer, connection in
                _ = connection.head()
                connection.write("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n")
                // Until the client has closed.
                repeat { connection.write("1\r\nx\r\n") } while connection.isIdle(for: 5)
                peer.note("closed")
            }
            let transport = http.transport { $0.errorTimeout = .zero }
            let folder = try TemporaryFolder()
            let limits = Timeouts(total: .seconds(60))
            let request = TransportRequest(url: peer.url, timeouts: limits, delivery: .file(folder["file"]))
            let response = try await transport.send(request)
            #expect(response.status == 500 && response.contentFailure?.code == .timedOut)
            #expect(response.body.data?.first == UInt8(ascii: "x"))
            #expect(folder.names.isEmpty)
            while peer.requests.isEmpty { await Task.yield() }
        }

        @Test("content that comes in time is kept", arguments: HTTPChoice.all)
        func keeps(http: HTTPChoice) async throws {
            let peer = try RawPeer { _, connection in
                _ = connection.head()
                connection.write("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n")
            }
            let folder = try TemporaryFolder()
            let response = try await http.transport().send(
                TransportRequest(url: peer.url, delivery: .file(folder["file"]))
            )
            #expect(response.status == 500 && response.body.data == Data("why".utf8))
            #expect(response.contentFailure == nil)
            #expect(CurlTransport.Configuration().errorTimeout == .seconds(10))
        }
    }
#endif
