import CoreNetKitCurl
import TestSupport

@Suite("Every transport: capabilities", .timeLimit(.minutes(10)), .paced)
struct CapabilityTests {
    @Test("can do what it claims, and nothing else", arguments: Subject.direct)
    func claims(_ subject: Subject) async throws {
        let claimed = subject.transport.capabilities
        for probe in CapabilityProbe.all {
            let isShown = try await probe.show(subject)
            #expect(isShown == claimed.contains(probe.capability), "\(probe.capability)")
        }
    }

    #if os(Linux)
        @Test("can do with TLS what it claims", .enabled(if: Nginx.isInstalled, "needs /usr/sbin/nginx and openssl"))
        func tls() async throws {
            let claimed = CurlTransport().capabilities
            let nginx = try Nginx()
            for probe in TLSProbe.all {
                #expect(try await probe.show(nginx) == claimed.contains(probe.capability), "\(probe.capability)")
            }
        }
    #endif

    @Test("has a probe for every capability")
    func complete() {
        var probed = CapabilityProbe.all.reduce(into: TransportCapabilities()) { $0.formUnion($1.capability) }
        #if os(Linux)
            probed.formUnion(TLSProbe.all.reduce(into: []) { $0.formUnion($1.capability) })
            #expect(TransportCapabilities.named.allSatisfy { probed.contains($0.capability) })
        #endif
    }

    @Test("refuses what it lacks before anything is sent", arguments: Subject.direct)
    func refuses(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok)
        let (claimed, content) = (peer.transport.capabilities, RequestBody.bytes(Data(count: 1)))
        if !claimed.contains(.phaseTimeouts) {
            let alone = Timeouts(connect: .seconds(1), firstByte: nil, idle: nil)
            #expect(try await peer.outcome(timeouts: alone) == .failure(.unsupported))
            #expect(try await peer.outcome(.put, body: content, timeouts: alone) == .failure(.unsupported))
        }
        if subject.differs(.addressAsHost) {
            var request = try peer.request()
            request.url = try #require(URL(string: "http://[::1]:1/"))
            #expect(await peer.outcome(request) == .failure(.unsupported))
        }
        if !claimed.contains(.bodyOnAnyMethod) {
            #expect(try await peer.outcome(.get, body: content) == .failure(.unsupported))
        }
        #expect(peer.seen.isEmpty)
    }

    @Test("reports the timings that it claims", arguments: Subject.direct)
    func timings(_ subject: Subject) async throws {
        let peer = try Peer(subject, .text("0123456789").delayed(by: .milliseconds(30)), isFresh: true)
        let start = ContinuousClock.now
        let timings = try await peer.send(.post, body: .bytes(Data(count: 1000))).timings
        let taken = start.duration(to: .now)
        #expect(timings.queue != nil)
        // A busy machine sees the end of the request late; what is measured from the outside may not have seen its beginning.
        let isExact = subject.transport.capabilities.contains(.timings)
        let firstByte = timings.firstByte ?? .zero
        #expect(firstByte > .zero)
        #expect((timings.send ?? .zero) + firstByte >= (isExact ? .milliseconds(29) : .nanoseconds(1)))
        #expect(timings.receive != nil)
        #expect((timings.total ?? .zero) >= .milliseconds(29))
        #expect((timings.total ?? .zero) <= taken)
    }
}
