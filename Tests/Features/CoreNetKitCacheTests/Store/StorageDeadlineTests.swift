import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSystem
import TestPace
import Testing

@Suite("A hanging storage and the deadline of a call", .timeLimit(.minutes(10)), .paced)
struct StorageDeadlineTests {
    /// When the storage begins to hang.
    enum Moment: CaseIterable {
        case lookUp, store, mark, clear
    }

    private let clock = ManualClock()
    private let storage = Faulty()
    private let place = URL(string: "https://shop.test/page") ?? page

    private func client(_ origin: Origin, timeout: Duration) -> Client {
        let cache = ResponseCache(storage: storage, timeout: timeout, clock: CallClock(clock))
        return Client(transport: origin, clock: CallClock(clock)).cache(with: cache)
    }

    /// Moves the clock to whatever is waited for until the work has ended.
    private func moving<Value: Sendable>(_ work: @Sendable () async throws -> Value) async rethrows -> Value {
        let clock = clock
        let time = Task { while !Task.isCancelled { try await clock.advanceToNextSleeper() } }
        defer { time.cancel() }
        return try await work()
    }

    @Test("the call has its response before its deadline, whatever hangs", arguments: Moment.allCases)
    func deadline(_ moment: Moment) async throws {
        let (storage, place) = (storage, place)
        storage.fault { $0.hangs = moment == .lookUp }
        defer { storage.fault { $0.hangs = false } }
        let origin = Origin { request, _ in
            storage.fault { $0.hangs = true }
            let headers: Headers = moment == .clear ? ["Clear-Site-Data": "\"cache\""] : ["Cache-Control": "max-age=60"]
            return reply(200, headers, "new", url: request.url)
        }
        let method: HTTPMethod = moment == .mark ? .put : .get
        let chain: Chain<Void, String> = UrlChainsBuilder<URL>(client: client(origin, timeout: .seconds(5)))
            .set(deadline: .seconds(2)).route(method, place).build()
        #expect(try await moving { try await chain.process() as String } == "new")
        #expect(clock.now.offset < .seconds(2))
        #expect(origin.count == 1)
    }

    @Test("the storage is left alone for as long as a call has waited for it, and not for longer")
    func rest() async throws {
        let storage = storage
        let origin = Origin { request, number in
            reply(200, ["Cache-Control": "max-age=60"], "\(number)", url: request.url)
        }
        let client = client(origin, timeout: .seconds(60))
        let hurried: Chain<Void, String> = UrlChainsBuilder<URL>(client: client).set(deadline: .milliseconds(200))
            .route(.get, place).build()
        let patient: Chain<Void, String> = UrlChainsBuilder<URL>(client: client).set(deadline: nil)
            .route(.get, place).build()
        #expect(try await patient.process() as String == "1")
        storage.fault { $0.hangs = true }
        #expect(try await moving { try await hurried.process() as String } == "2")
        let waited = clock.now.offset
        storage.fault { $0.hangs = false }
        #expect(try await patient.process() as String == "3", "it is left alone")
        clock.advance(by: waited)
        #expect(try await patient.process() as String == "1", "it is asked again")
    }
}
