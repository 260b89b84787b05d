import AlarmService
import PushServersMock
import TestSupport

/// A server with alarms on a real socket, and a list in front of it whose links are plain text.
struct Bench: Sendable {
    let alarms: AlarmServer
    let server: LoopbackServer
    let client: AlarmClient

    init(_ count: Int = 0, token: String? = nil, log: LogConfiguration? = nil, partition: Partition = .anonymous) throws
    {
        alarms = AlarmServer(token: token)
        server = try LoopbackServer()
        alarms.serve(on: server)
        let client = log.map { Client().log(to: $0.sink, level: $0.level) } ?? Client()
        let builder = UrlChainsBuilder<AlarmRoute>(client: client).set(deadline: .seconds(30)).set(partition: partition)
        let headers: [String: String] = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        self.client = AlarmClient(base: server.url("/api/v1"), builder: builder.set(metadata: headers))
        for number in 0..<count {
            alarms.insert(["from_nick": "n\(number)", "scheme": "app://alarm/\(number)", "type": "F01"])
        }
    }

    func list(pageSize: Int = 20) -> AlarmList<String> {
        AlarmList(client: client, pageSize: pageSize) { $0 }
    }

    /// A bench of so many alarms, and a list that has loaded its first page.
    static func loaded(_ count: Int = 0, pageSize: Int = 20) async throws -> (Bench, AlarmList<String>) {
        let bench = try Bench(count)
        return (bench, try await bench.loaded(pageSize: pageSize))
    }

    func loaded(pageSize: Int = 20) async throws -> AlarmList<String> {
        let list = self.list(pageSize: pageSize)
        try await list.refresh()
        return list
    }

    /// The requests about actions, as they were sent.
    var actions: [[String: String]] {
        alarms.exchanges.filter { $0.request.hasPrefix("POST") }.map(\.parameters)
    }
}

func alarmFailure<Value>(of step: () async throws -> Value) async -> AlarmError? {
    await failure(AlarmError.self) { _ = try await step() }
}
