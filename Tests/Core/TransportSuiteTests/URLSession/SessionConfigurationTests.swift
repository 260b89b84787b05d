import TestSupport

@testable import CoreNetKitURLSession

@Suite("URLSession: a configuration", .timeLimit(.minutes(10)), .paced)
struct SessionConfigurationTests {
    typealias Configuration = URLSessionTransport.Configuration

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (inout Configuration) -> Void

        init(_ testDescription: String, _ apply: @escaping @Sendable (inout Configuration) -> Void) {
            (self.testDescription, self.apply) = (testDescription, apply)
        }
    }

    private func check(_ change: Change, _ code: TransportError.Code, _ more: String? = nil) async throws {
        let server = try LoopbackServer { _ in .ok }
        var configuration = Configuration()
        change.apply(&configuration)
        let monitor = ExchangeMonitor()
        var request = TransportRequest(url: server.url)
        request.monitor = monitor
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport(configuration: configuration).send(request)
        }
        #expect(server.counts.requests == 0)
        #expect(monitor.state.isEnded)
        #expect(error?.code == code)
        let message = try #require(error?.message)
        for text in [change.testDescription, more].compactMap(\.self) { #expect(message.contains(text)) }
    }

    static let wrong: [Change] = [
        Change("connectionsPerHost") { $0.connectionsPerHost = 0 },
        Change("pinnedKeys[1]") { $0.tls.pinnedKeys = [Data(count: 32).base64EncodedString(), "sha256/abc"] },
        Change("pinnedCertificates[0]") { $0.tls.pinnedCertificates = [Data("no certificate".utf8)] },
        Change("hosts['a.org'].pinnedKeys[0]") {
            $0.hosts["a.org"] = .init()
            $0.hosts["a.org"]?.pinnedKeys = [""]
        },
        Change("write it as a.org") { $0.hosts["A.org"] = .init() },
        Change("without a port") { $0.hosts["a.org:443"] = .init() },
        Change("no server could be trusted") { $0.tls.authorities = .certificates([]) },
        Change("tls.authorities[0]") { $0.tls.authorities = .certificates([Data()]) },
        Change("tls.authorities[0]") { $0.tls.authorities = .pem(Data()) },
        Change("tls.authorities[0]") { $0.tls.authorities = .file("/there/is/no/such.pem") },
        Change("neither http, https nor socks5") {
            $0.proxy = URL(string: "ftp://proxy").map { .server($0) } ?? .none
        },
        Change("a colon") {
            $0.proxy =
                URL(string: "http://proxy").map { .server($0, credentials: .init(user: "a:b", password: "c")) } ?? .none
        },
        Change("has no host") { $0.proxy = URL(string: "http:").map { .server($0) } ?? .none },
    ]

    @Test("refuses an invalid value, names it, and sends nothing", arguments: wrong)
    func invalid(_ change: Change) async throws { try await check(change, .invalidRequest) }

    static let lackingEverywhere: [Change] = [
        Change("servers that are not verified") { $0.tls.verifiesServer = false },
        Change("revocation lists") { $0.tls.revocationList = "/crl.pem" },
        Change("a proxy for one host") { $0.hosts["a.org", default: .init()].proxy = TransportProxy.none },
        Change("client certificate") { $0.tls.identity = .files(certificate: "a.pem", key: "a.key") },
        Change("client certificate") {
            $0.hosts["a.org", default: .init()].identity = .pem(certificate: Data(), key: Data())
        },
    ]

    @Test("refuses what no URLSession has, names it, and sends nothing", arguments: lackingEverywhere)
    func refusedEverywhere(_ change: Change) async throws { try await check(change, .unsupported) }

    #if os(Linux)
        static let lacking: [Change] = [
            Change("pins") { $0.tls.pinnedKeys = [Data(count: 32).base64EncodedString()] },
            Change("pins") {
                $0.hosts["a.org"] = .init()
                $0.hosts["a.org"]?.pinnedKeys = [Data(count: 32).base64EncodedString()]
            },
            Change("pins") { $0.tls.requiresPins = true },
            Change("client certificate") { $0.tls.identity = .keychain(label: "device") },
            Change("client certificate") {
                $0.hosts["a.org"] = .init()
                $0.hosts["a.org"]?.identity = .pkcs12(Data(), password: "secret")
            },
            Change("lowest version of TLS") { $0.tls.minimumVersion = .tls13 },
            Change("a proxy, or none") { $0.proxy = .none },
            Change("a proxy, or none") { $0.proxy = URL(string: "http://proxy").map { .server($0) } ?? .none },
            Change("waiting for a network") { $0.waitsForConnectivity = true },
            Change("a choice of networks") { $0.allowsCellularAccess = false },
            Change("a choice of networks") { $0.allowsExpensiveNetworkAccess = false },
            Change("a choice of networks") { $0.allowsConstrainedNetworkAccess = false },
        ]

        @Test(
            "refuses what URLSession on Linux lacks, says what and where it is available, and sends nothing",
            arguments: lacking
        )
        func unsupported(_ change: Change) async throws {
            try await check(change, .unsupported, "CurlTransport")
        }
    #endif

    @Test("limits the exchanges per host, and transports with equal settings share one session")
    func limits() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        var configuration = Configuration()
        configuration.connectionsPerHost = 2
        let transport = URLSessionTransport(configuration: configuration)
        let response = try await transport.send(TransportRequest(url: server.url))
        #expect(response.body.data == Data("x".utf8))
        let engine = try SharedSession.of(configuration).engine()
        #expect(engine.limiter.perHost == 2)
        #expect(try SharedSession.of(Configuration()).engine() !== engine)
        #expect(try SharedSession.of(Configuration()).engine().limiter.perHost == 6)
        #expect(SharedSession.of(configuration) === SharedSession.of(configuration))
    }

    @Test("prints neither keys nor passwords")
    func description() throws {
        var configuration = Configuration()
        let proxy = try #require(URL(string: "http://anna:s3cret@proxy:3128"))
        configuration.proxy = .server(proxy, credentials: .init(user: "anna", password: "s3cret"))
        configuration.tls.identity = .pkcs12(Data("s3cret".utf8), password: "s3cret")
        var text = ""
        dump(configuration, to: &text)
        #expect(text.contains("proxy:3128") && text.contains("PKCS #12"))
        for hidden in ["s3cret", "anna", Data("s3cret".utf8).base64EncodedString()] {
            #expect(!text.contains(hidden))
            #expect(!"\(configuration)".contains(hidden))
        }
    }

    @Test("with a proxy removes HTTP/3: QUIC does not go through it")
    func capabilities() throws {
        let proxy = try #require(URL(string: "http://proxy"))
        var configuration = Configuration()
        configuration.proxy = .server(proxy)
        #expect(!URLSessionTransport(configuration: configuration).capabilities.contains(.http3))
        #expect(URLSessionTransport.appleCapabilities.contains(.http3))
    }
}
