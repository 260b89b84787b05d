#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("The rules for transports", .timeLimit(.minutes(10)), .paced)
    struct ConformanceTests {
        @Test("CurlTransport follows all of them")
        func curl() async {
            let findings = await TransportConformance.check(CurlTransport())
            #expect(findings.isEmpty, "\(findings)")
        }

        private struct Odd: Transport {
            let inner = CurlTransport()
            var capabilities = CurlTransport().capabilities
            let change: @Sendable (TransportRequest, CurlTransport) async throws -> TransportResponse

            func send(_ request: TransportRequest) async throws -> TransportResponse {
                try await change(request, inner)
            }
        }

        @Test("a transport that follows redirects is detected")
        func follows() async {
            let odd = Odd { request, inner in
                let response = try await inner.send(request)
                guard let place = response.headers["Location"], let url = URL(string: place, relativeTo: request.url)
                else { return response }
                var next = request
                next.url = url.absoluteURL
                return try await inner.send(next)
            }
            #expect(await TransportConformance.check(odd).contains { $0.rule == "message.redirects" })
        }

        @Test("a transport that resends after any failure, or takes a part for the whole, is detected")
        func repeats() async {
            let odd = Odd { request, inner in
                do { return try await inner.send(request) } catch let error as TransportError {
                    if error.code == .connectionLost, error.phase == .receive {
                        return TransportResponse(status: 200, url: request.url)
                    }
                    return try await inner.send(request)
                }
            }
            let names = Set(await TransportConformance.check(odd).map(\.rule))
            #expect(names.isSuperset(of: ["fault.twice", "fault.cut"]))
        }

        @Test("a transport that ignores what it cannot do is detected")
        func ignores() async {
            let plain = Odd(capabilities: []) { request, inner in try await inner.send(request) }
            #expect(await TransportConformance.check(plain).map(\.rule) == ["refusal.capabilities"])
        }

        @Test("each rule has a name of its own")
        func names() { #expect(Set(TransportConformance.rules.map(\.name)).count == TransportConformance.rules.count) }
    }
#endif
