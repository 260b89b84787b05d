#if os(Linux)
    import TestSupport
    import CoreNetKitWire

    @testable import CoreNetKitCurl

    @Suite("Curl: which servers are asked for HTTP/3", .paced)
    struct HTTP3OriginsTests {
        private let key = "https://a.test"
        private let minute: Int64 = 60_000_000_000

        private func origins(
            _ version: CurlTransport.Configuration.HTTPVersion,
            _ change: (inout CurlTransport.Configuration) -> Void = { _ in },
            isPossible: Bool = true
        ) -> HTTP3Origins? {
            var configuration = CurlTransport.Configuration()
            configuration.httpVersion = version
            change(&configuration)
            return HTTP3Origins(configuration, isPossible: isPossible)
        }

        @Test("preferring it asks servers that have offered it, for as long as they say")
        func offered() throws {
            let origins = try #require(self.origins(.preferHTTP3))
            #expect(!origins.asks(key, now: 0))
            origins.note(.offered(seconds: 60), of: key, now: 0)
            #expect(origins.asks(key, now: minute - 1))
            #expect(!origins.asks(key, now: minute))
            #expect(!origins.asks("https://b.test", now: 0))
            origins.note(.offered(seconds: 60), of: key, now: minute)
            origins.note(.withdrawn, of: key, now: minute + 1)
            #expect(!origins.asks(key, now: minute + 2))
        }

        @Test("setting it asks all servers, with or without an offer")
        func all() throws {
            let origins = try #require(self.origins(.http3))
            #expect(origins.asks(key, now: 0))
            origins.note(.withdrawn, of: key, now: 0)
            #expect(origins.asks(key, now: 1))
        }

        @Test(
            "a server where it failed is left alone for 5 minutes, then 10, up to a day, until it works",
            arguments: [CurlTransport.Configuration.HTTPVersion.http3, .preferHTTP3]
        )
        func broken(version: CurlTransport.Configuration.HTTPVersion) throws {
            let origins = try #require(self.origins(version))
            origins.note(.offered(seconds: 86_400 * 1_000), of: key, now: 0)
            var now: Int64 = 1
            for minutes: Int64 in [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440] {
                #expect(origins.asks(key, now: now))
                origins.note(false, of: key, now: now)
                // A second connection that was already on its way adds no information.
                origins.note(false, of: key, now: now + 1)
                #expect(!origins.asks(key, now: now + minutes * minute - 1))
                now += minutes * minute
            }
            #expect(origins.asks(key, now: now))
            origins.note(true, of: key, now: now)
            origins.note(false, of: key, now: now)
            #expect(!origins.asks(key, now: now + 5 * minute - 1))
            #expect(origins.asks(key, now: now + 5 * minute))
            #expect(origins.asks("https://b.test", now: now) == (version == .http3))
        }

        @Test("thousands of servers do not fill the memory, and current ones are kept")
        func limit() throws {
            let origins = try #require(self.origins(.preferHTTP3))
            for number in 0..<20_000 {
                origins.note(.offered(seconds: 1), of: "https://h\(number).test", now: Int64(number) * minute)
            }
            #expect(origins.asks("https://h19999.test", now: 19_999 * minute))
            #expect(!origins.asks("https://h0.test", now: 19_999 * minute))
        }

        @Test("none is asked through a proxy or Unix domain socket, without the library, or with another setting")
        func nobody() throws {
            for version in [CurlTransport.Configuration.HTTPVersion.http3, .preferHTTP3] {
                #expect(origins(version) != nil)
                #expect(origins(version, isPossible: false) == nil)
                #expect(origins(version, { $0.unixSocket = "/run/a" }) == nil)
                #expect(origins(version, { $0.proxy = .system }) == nil)
                let proxy = try #require(URL(string: "http://p.test"))
                #expect(origins(version, { $0.proxy = .server(proxy) }) == nil)
                #expect(origins(version, { $0.hosts["a.test", default: .init()].proxy = .server(proxy) }) == nil)
                let direct = TransportProxy.none
                #expect(origins(version, { $0.hosts["a.test", default: .init()].proxy = direct }) != nil)
            }
            for version in [CurlTransport.Configuration.HTTPVersion.automatic, .http1, .http2PriorKnowledge] {
                #expect(origins(version) == nil)
            }
        }

        @Test("HTTP/3 is refused with a message through a proxy and over a Unix domain socket; preferring it is not")
        func refused() async throws {
            let proxy = try #require(URL(string: "http://127.0.0.1:1"))
            let url = try #require(URL(string: "https://127.0.0.1:1/"))
            for (change, word): ((inout CurlTransport.Configuration) -> Void, String) in [
                ({ $0.proxy = .server(proxy) }, "a proxy, which QUIC cannot pass"),
                ({ $0.proxy = .system }, "a proxy, which QUIC cannot pass"),
                ({ $0.hosts["a.test", default: .init()].proxy = .server(proxy) }, "a proxy, which QUIC cannot pass"),
                ({ $0.unixSocket = "/nowhere" }, "a Unix domain socket, which has no UDP"),
            ] {
                func transport(_ version: CurlTransport.Configuration.HTTPVersion) -> CurlTransport {
                    .made {
                        $0.httpVersion = version
                        change(&$0)
                    }
                }
                let error = await transport(.http3).error(of: TransportRequest(url: url))
                #expect(error?.code == .unsupported)
                #expect(error?.message.contains(word) == true, "\(String(describing: error))")
                let other = await transport(.preferHTTP3).error(of: TransportRequest(url: url))
                #expect(other?.code != .unsupported)
            }
        }
    }
#endif
