import KorePushService
import PushServersMock
import TestSupport

@Suite("Kore: on the wire", .timeLimit(.minutes(10)), .paced)
struct KoreWireTests {
    private let world: KoreWorld
    private let push: KorePush

    init() throws { (world, push) = try KoreWorld.withPush() }

    /// `line` is method and target.
    typealias Row = (
        action: String, format: KoreConfiguration.RequestFormat, paths: KoreConfiguration.Paths, line: String,
        type: String?, body: String, override: String?, seen: KorePushServer.RequestFormat
    )

    static let json = #"{"deviceId":"a1b2c3d4","osType":"ios"}"#
    static let form = "deviceId=a1b2c3d4&osType=ios"
    static let jsonType = "application/json"
    static let formType = "application/x-www-form-urlencoded"

    static let rows: [Row] = KoreConfiguration.Paths.all.flatMap { paths -> [Row] in
        let base = paths == .document ? "/api/users/u-1" : "/api/users/u-1/sdknotifications"
        let on = "POST \(base)/subscribe"
        let off = "\(base)/unsubscribe"
        return [
            ("+", .json, paths, on, jsonType, json, nil, .json),
            ("+", .alamofire, paths, on, formType, form, nil, .form),
            ("+", .postOverride, paths, on, jsonType, json, nil, .json),
            ("-", .json, paths, "DELETE \(off)", jsonType, json, nil, .deleteJSON),
            ("-", .alamofire, paths, "DELETE \(off)?\(form)", nil, "", nil, .deleteQuery),
            ("-", .postOverride, paths, "POST \(off)", jsonType, json, "DELETE", .postOverride),
        ]
    }

    @Test("each action, path and variant is the literal request of its client", arguments: rows)
    func literal(_ row: Row) async throws {
        let push = try world.push(paths: row.paths, requestFormat: row.format)
        let subscription: KoreSubscription = try await push.subscribe(.first)
        #expect(subscription.token == .first)
        #expect(subscription.userID == "u-1")
        if row.action == "-" { try await push.unsubscribe(.first) }
        #expect(world.kore.devices(of: "u-1") == (row.action == "+" ? ["a1b2c3d4"] : []))
        let request = try #require(world.server.requests.last)
        #expect(world.kore.exchanges.map(\.status) == (row.action == "+" ? [200] : [200, 200]))
        #expect("\(request.method) \(request.target)" == row.line)
        #expect(request.headers["Content-Type"] == row.type)
        #expect(request.headers["Authorization"] == "Bearer good")
        #expect(request.headers["X-HTTP-Method-Override"] == row.override)
        #expect(request.text == row.body)
        let exchange = try #require(world.kore.exchanges.last)
        #expect(exchange.requestFormat == row.seen)
        #expect(exchange.parameters == ["deviceId": "a1b2c3d4", "osType": "ios"])
    }

    @Test("a POST carries an idempotency key, a DELETE needs none")
    func idempotencyKey() async throws {
        try await push.subscribe(.first)
        try await push.unsubscribe(.first)
        #expect(world.server.requests.map { $0.headers["Idempotency-Key"] != nil } == [true, false])
    }

    @Test("unsubscribing an unknown device succeeds")
    func idempotentUnsubscribe() async throws {
        try await world.push().unsubscribe(.first)
        try await world.push(requestFormat: .postOverride).unsubscribe(.first)
        #expect(world.kore.exchanges.map(\.status) == [404, 404])
        #expect(world.kore.exchanges.map(\.requestFormat) == [.deleteJSON, .postOverride])
        #expect(try await world.push().state().isComplete)
    }
}
