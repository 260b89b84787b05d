#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Curl: what an exchange reports besides its response", .timeLimit(.minutes(10)), .paced)
    struct OpeningTests {
        private let transport = CurlTransport()

        @Test("decoded: says so, and counts both sides")
        func decoded() async throws {
            let content = Gzip.zeros(1000)
            let server = try LoopbackServer { request in
                request.path == "/coded"
                    ? .data(content).header("Content-Encoding", "gzip")
                    : .text("plain").header("Content-Encoding", "identity")
            }
            let coded = try await transport.send(TransportRequest(url: server.url("/coded")))
            #expect(coded.isDecoded && coded.timings.bytesDecoded == 1000)
            #expect((coded.timings.bytesReceived ?? 0) < 1000)
            let plain = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(!plain.isDecoded && plain.timings.bytesDecoded == 5)
        }

        @Test("reason: the text of the status line, empty if there is none", arguments: ["OK then", ""])
        func reason(words: String) async throws {
            let server = try LoopbackServer { _ in .raw("HTTP/1.1 200 \(words)\r\nContent-Length: 0\r\n\r\n") }
            #expect(try await transport.send(TransportRequest(url: server.url("/"))).reason == words)
        }

        static let ends: [(LoopbackResponse, HTTPMethod, Bool)] = [
            (.text("abc"), .get, true), (.chunks("a", "bc"), .get, true), (.status(204), .get, true),
            (.text("abc"), .head, true), (LoopbackResponse(body: .untilClose(Data("abc".utf8))), .get, false),
        ]

        @Test("delimited: whether the end of the content is certain", arguments: ends)
        func delimited(response: LoopbackResponse, method: HTTPMethod, isDelimited: Bool) async throws {
            let server = try LoopbackServer { _ in response }
            let received = try await transport.send(TransportRequest(method: method, url: server.url("/")))
            #expect(received.isDelimited == isDelimited)
        }

        @Test("interim responses come in order, with their fields")
        func interim() async throws {
            let server = try LoopbackServer { _ in
                .text("ok").preceded(by: 103, headers: ["Link": "</a>"]).preceded(by: 102)
            }
            var request = TransportRequest(url: server.url("/"))
            let monitor = ExchangeMonitor()
            request.monitor = monitor
            let response = try await transport.send(request)
            #expect(response.interim == [.init(status: 103, headers: ["Link": "</a>"]), .init(status: 102)])
            #expect(monitor.state.interim == response.interim)
            #expect(response.headers["Link"] == nil)
        }

        @Test("trailers: with the response for collected content, after the end for a stream")
        func trailers() async throws {
            let server = try LoopbackServer { _ in .chunks("abc").trailer("X-Sum", "6").trailer("x-sum", "7") }
            let collected = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(collected.trailers[values: "X-Sum"] == ["6", "7"])
            #expect(!collected.headers.contains("X-Sum"))
            let stream = try await transport.stream(TransportRequest(url: server.url("/")))
            for try await _ in stream {}
            #expect(stream.ending?.trailers[values: "X-Sum"] == ["6", "7"])
            #expect(stream.ending?.timings.bytesDecoded == 3)
        }

        @Test("sent fields: as they were on the wire, for requests that ask")
        func sentHeaders() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            var request = TransportRequest(url: server.url("/"), headers: ["X-A": "1"])
            request.reportsSentHeaders = true
            let sent = try #require(try await transport.send(request).sentHeaders)
            #expect(sent == server.requests[0].headers)
            request.reportsSentHeaders = false
            #expect(try await transport.send(request).sentHeaders == nil)
        }

        @Test("a start time on both clocks, before the wait for a connection")
        func start() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let before = (Date(), ContinuousClock.now)
            let timings = try await transport.send(TransportRequest(url: server.url("/"))).timings
            let after = (Date(), ContinuousClock.now)
            let (date, instant) = (try #require(timings.startDate), try #require(timings.startInstant))
            #expect(date >= before.0 && date <= after.0)
            #expect(instant >= before.1 && instant <= after.1)
        }

        @Test("progress: ends with all bytes of both contents", arguments: [3, 3_000_000], [true, false])
        func progress(count: Int, isSequence: Bool) async throws {
            let server = try LoopbackServer(recording: .off) { _ in .data(Data(count: count)) }
            let bytes = Data(count: count)
            let monitor = ExchangeMonitor()
            var request = TransportRequest(method: .put, url: server.url("/"))
            request.body = isSequence ? .chunks([bytes]) : .bytes(bytes)
            request.monitor = monitor
            let watcher = Task {
                var states: [ExchangeMonitor.State] = []
                for await state in monitor.updates { states.append(state) }
                return states
            }
            _ = try await transport.send(request)
            let states = await watcher.value
            let last = try #require(states.last)
            #expect(last.bytesSent == Int64(count) && last.bytesReceived == Int64(count) && last.isEnded)
            #expect(last.bytesToSend == (isSequence ? nil : Int64(count)) && last.bytesExpected == Int64(count))
            for (earlier, later) in zip(states, states.dropFirst()) {
                #expect(earlier.bytesSent <= later.bytesSent && earlier.bytesReceived <= later.bytesReceived)
            }
        }

        @Test("progress also ends if nothing was sent, or the call was cancelled")
        func progressOfNothing() async throws {
            let monitor = ExchangeMonitor()
            var request = TransportRequest(method: "not a token", url: url("http://localhost/"))
            request.monitor = monitor
            _ = try? await transport.send(request)
            #expect(monitor.state.isEnded)
            for await state in monitor.updates { #expect(state.isEnded) }
        }

        @Test("a cancelled reader of progress ends")
        func progressCancelled() async throws {
            let monitor = ExchangeMonitor()
            let watcher = Task { for await _ in monitor.updates {} }
            watcher.cancel()
            await watcher.value
        }

        @Test("TLS: version and cipher suite, on new and kept connections", .needsNginx)
        func tls() async throws {
            guard transport.capabilities.contains(.tlsDetails) else { return }
            let port = try FreePort.find()
            let nginx = try NginxServer("server { listen 127.0.0.1:\(port) ssl; location / { return 200 ok; } }")
            let transport = CurlTransport.made {
                $0.tls.verifiesServer = false
                $0.httpVersion = .http1
            }
            for isReused in [false, true] {
                let timings = try await transport.send(.init(url: url("https://127.0.0.1:\(port)/"))).timings
                #expect(timings.isConnectionReused == isReused)
                #expect(timings.tlsVersion?.hasPrefix("TLSv1.") == true)
                #expect(timings.tlsCipher?.isEmpty == false)
            }
            withExtendedLifetime(nginx) {}
        }

        @Test("changing a copy of a response changes only the copy")
        func copies() async throws {
            enum Note: Attributes.Key { typealias Value = Int }
            let server = try LoopbackServer { _ in .text("ok").header("X-A", "1") }
            let response = try await transport.send(TransportRequest(url: server.url("/")))
            var copy = response
            copy.headers["X-A"] = "2"
            copy.attributes[Note.self] = 7
            copy.status = 201
            #expect(response.headers["X-A"] == "1" && response.attributes[Note.self] == nil && response.status == 200)
            #expect(copy.headers["X-A"] == "2" && copy.attributes[Note.self] == 7 && copy.status == 201)
            #expect(copy.timings == response.timings && copy.reason == "OK")
        }
    }
#endif
