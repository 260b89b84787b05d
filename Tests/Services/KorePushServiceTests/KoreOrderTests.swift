import KorePushService
import TestSupport

@Suite("Kore: calls at once", .timeLimit(.minutes(10)), .paced)
struct KoreOrderTests {
    private let gate = LoopbackGate()
    private let mock = MockTransport()
    private let store = InMemoryStore()

    /// Lets the next request wait at the gate.
    private func holdNextReply() {
        mock.on(nil, "/**", times: 1) { [gate] _ in
            try await gate.wait()
            return .json(#"{"status":true}"#)
        }
    }

    private func push() throws -> KorePush { try korePush(over: mock, store) }

    @Test("changes are noted in the order of the calls, one request runs at a time, and only the last is sent")
    func order() async throws {
        mock.on(nil, "/**", .json(#"{"status":true}"#))
        holdNextReply()
        let push = try push()
        let tokens = (10..<40).map { KoreDeviceToken.token("\($0)") }
        let calls: [Observer<KoreSubscription>] = tokens.map { push.subscribe($0) }
        let noted = try await push.state()
        #expect(noted.token == tokens.last)
        #expect(!noted.isSubscribed)
        gate.open()
        var codes: [KorePushError.Code?] = []
        for call in calls { codes.append(await koreFailure { _ = try await call.value }?.code) }
        // The first request is of the change that was the last when its turn began: it may be confirmed or superseded.
        let first = mock.requests.first { $0.method == .post }?.text ?? ""
        for (index, code) in codes.enumerated().dropLast() where !first.contains(#""deviceId":"\#(index + 10)""#) {
            #expect(code == .superseded, "\(index)")
        }
        #expect(try await calls.last?.value.token == tokens.last)
        let subscribed = mock.requests.filter { $0.method == .post }.map(\.text)
        #expect(subscribed.count <= 2)
        #expect(subscribed.last?.contains(#""deviceId":"39""#) == true)
        let left = Set(mock.requests.filter { $0.method == .delete }.map(\.text))
        #expect(left.count == tokens.count - 1)
        #expect(try await push.state().isComplete)
    }

    @Test("of a subscription and the unsubscription behind it the second is told second", arguments: [false, true])
    func toldInOrder(hasOlderToken: Bool) async throws {
        mock.on(nil, "/**", .json(#"{"status":true}"#))
        let push = try push()
        if hasOlderToken { try await push.subscribe(.second) }
        let before = mock.requests.count
        holdNextReply()
        let (events, event) = AsyncStream<String>.makeStream()
        let queue = DispatchQueue(label: "told")
        let subscription: Observer<KoreSubscription> = push.subscribe(.first)
        subscription.dispatchOn(queue).onCompleted { _ in event.yield("subscribed") }
            .onError { event.yield("\($0)") }
        _ = try await mock.waitForRequests(before + 1)
        let end: Observer<Void> = push.unsubscribe(.first)
        end.dispatchOn(queue).onCompleted { event.yield("unsubscribed") }.onError { event.yield("\($0)") }
        gate.open()
        #expect(await events.prefix(2).reduce(into: []) { $0.append($1) } == ["subscribed", "unsubscribed"])
        try await push.flush()
        let state = try await push.state()
        #expect(state.token == nil && state.isComplete)
    }

    @Test("a response to an earlier change does not confirm a later one")
    func lateReply() async throws {
        mock.on(nil, "/**", .failure(.connectionLost))
        holdNextReply()
        let push = try push()
        let first: Observer<KoreSubscription> = push.subscribe(.first)
        _ = try await mock.waitForRequests(1)
        let second: Observer<KoreSubscription> = push.subscribe(.second)
        #expect(try await push.state().token == .second)
        #expect(mock.requests.count == 1)
        gate.open()
        #expect(try await first.value.token == .first)
        #expect(await koreFailure { _ = try await second.value }?.code == .serverUnavailable)
        let state = try await push.state()
        #expect(state.token == .second)
        #expect(!state.isSubscribed)
    }
}
