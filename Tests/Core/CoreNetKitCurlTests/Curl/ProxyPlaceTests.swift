#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitLoopback
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: a proxy of all hosts, of one, and of the environment", .timeLimit(.minutes(10)), .paced)
    struct ProxyPlaceTests {
        /// Where a proxy is set.
        enum Place: CaseIterable {
            case all
            case withExceptions
            case oneHost
            case oneHostInstead

            func set(_ proxy: URL, in configuration: inout CurlTransport.Configuration) {
                switch self {
                case .all: configuration.proxy = .server(proxy)
                case .withExceptions: configuration.proxy = .server(proxy, except: ["other.invalid"])
                case .oneHost: configuration.hosts["there.invalid", default: .init()].proxy = .server(proxy)
                case .oneHostInstead:
                    configuration.proxy = .server(url("http://elsewhere.invalid:1"))
                    configuration.hosts["there.invalid", default: .init()].proxy = .server(proxy)
                }
            }
        }

        @Test("one that refuses the connection is a proxy failure, wherever it is set", arguments: LaneKind.all)
        func refused(lane: LaneKind) async throws {
            let refused = try LoopbackServer.refusedURL().absoluteString
            for place in Place.allCases {
                for kind in ["http", "socks5"] {
                    let proxy = url(refused.replacingOccurrences(of: "http", with: kind))
                    let transport = lane.transport { place.set(proxy, in: &$0) }
                    for target in ["http://there.invalid/", "https://there.invalid/"] {
                        let error = await #expect(throws: TransportError.self) {
                            try await transport.send(TransportRequest(method: .post, url: url(target)))
                        }
                        let what: Comment = "\(place), \(kind), \(target)"
                        #expect(error?.code == .proxyFailed, what)
                        #expect(error?.phase == .connect && error?.isSafeToResend == true, what)
                    }
                }
            }
        }

        @Test("a server that refuses the connection is no proxy, whatever others go through", arguments: LaneKind.all)
        func direct(lane: LaneKind) async throws {
            let proxy = try LoopbackServer { _ in .text("proxy") }
            let refused = try LoopbackServer.refusedURL()
            let changes: [(inout CurlTransport.Configuration) -> Void] = [
                { $0.proxy = .server(proxy.url, except: ["127.0.0.1"]) },
                { $0.hosts["there.invalid", default: .init()].proxy = .server(proxy.url) },
                {
                    $0.proxy = .server(proxy.url)
                    $0.hosts["127.0.0.1", default: .init()].proxy = TransportProxy.none
                },
            ]
            for (index, change) in changes.enumerated() {
                let transport = lane.transport(change)
                for scheme in ["http", "https"] {
                    let target = url("\(scheme)://127.0.0.1:\(refused.port ?? 0)/")
                    let error = await #expect(throws: TransportError.self) {
                        try await transport.send(TransportRequest(url: target))
                    }
                    #expect(error?.code == .cannotConnect, "\(index), \(scheme)")
                }
            }
            #expect(proxy.counts.requests == 0)
        }

        @Test("that of the environment counts for the schemes and hosts that it is for")
        func environment() throws {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .system
            configuration.hosts["direct.test", default: .init()].proxy = TransportProxy.none
            let options = CurlOptions(configuration)
            let all = ["http://a.test/", "https://a.test/", "https://b.test:8443/", "https://direct.test/"]
            for (variables, expected) in [
                ([:], []), (["http_proxy": "p"], [0]), (["HTTP_PROXY": "p"], []), (["https_proxy": "p"], [1, 2]),
                (["HTTPS_PROXY": "p"], [1, 2]), (["all_proxy": "p"], [0, 1, 2]), (["ALL_PROXY": "p"], [0, 1, 2]),
                (["all_proxy": "p", "no_proxy": "b.test"], [0, 1]), (["https_proxy": "p", "NO_PROXY": "*"], []),
            ] as [([String: String], [Int])] {
                let found = try all.indices.filter {
                    options.usesProxy(to: try Destination(url(all[$0])), environment: { variables[$0] })
                }
                #expect(found == expected, "\(variables)")
            }
        }

        @Test("name and password for the proxy of all hosts are not told to that of one", arguments: LaneKind.all)
        func credentials(lane: LaneKind) async throws {
            let proxy = try LoopbackServer { _ in .status(407) }
            let transport = lane.transport {
                $0.proxy = .server(
                    url("http://elsewhere.invalid:1"),
                    credentials: .init(user: "me", password: "secret")
                )
                $0.hosts["there.invalid", default: .init()].proxy = .server(proxy.url)
            }
            for target in ["http://there.invalid/", "https://there.invalid/"] {
                _ = try? await transport.send(TransportRequest(url: url(target)))
            }
            #expect(proxy.requests.count == 2)
            #expect(proxy.requests.allSatisfy { !$0.headers.contains("Proxy-Authorization") })
        }

        @Test(
            "that of the environment may be one host's, beside none for the others",
            .enabled(if: ProcessInfo.processInfo.environment["https_proxy"] != nil, "run with https_proxy set"),
            arguments: LaneKind.all
        )
        func systemOfOne(lane: LaneKind) async throws {
            let transport = lane.transport { $0.hosts["there.invalid", default: .init()].proxy = .system }
            for (target, code) in [
                ("https://there.invalid/", .proxyFailed), ("https://elsewhere.invalid/", .cannotResolveHost),
            ] as [(String, TransportError.Code)] {
                let error = await #expect(throws: TransportError.self) {
                    try await transport.send(TransportRequest(url: url(target)))
                }
                #expect(error?.code == code, "\(target)")
            }
        }
    }
#endif
