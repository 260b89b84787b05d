import AlarmService
import CoreNetKitCache
import CoreNetKitOutbox
import FileModel
import PushDoubles
import PushServersMock
import Synchronization
import TestSupport

/// A device with alarms: what it keeps over restarts, who is signed in, and the server behind a mock transport.
final class AlarmPhone: PartitionProvider {
    let alarms = AlarmServer()
    let cache = ResponseCache()
    private let state = Mutex((files: ModelFiles(), user: "alice", isOnline: true, senders: [String]()))

    init(_ count: Int = 0) {
        for number in 0..<count { alarms.insert(["from_nick": "n\(number)", "type": "F01"]) }
    }

    /// A phone with so many alarms, its first process, and a list that has loaded its first page.
    static func launched(_ count: Int) async throws -> (AlarmPhone, AlarmApp, AlarmList<String>) {
        let phone = AlarmPhone(count)
        let app = phone.launch()
        return (phone, app, try await app.loaded())
    }

    var partition: Partition { Partition(user) }

    var user: String {
        get { state.withLock { $0.user } }
        set { state.withLock { $0.user = newValue } }
    }

    /// The files of the outbox, as the last process left them.
    var files: ModelFiles {
        get { state.withLock { $0.files } }
        set { state.withLock { $0.files = newValue } }
    }

    var isOnline: Bool {
        get { state.withLock { $0.isOnline } }
        set { state.withLock { $0.isOnline = newValue } }
    }

    /// The actions that the server carried out, with whose token.
    var actions: [String] {
        let sent = alarms.exchanges.filter { $0.request.hasPrefix("POST") && $0.status == 200 }
            .map { "\($0.parameters["action"] ?? "?") \($0.parameters["seq"] ?? "")" }
        return zip(state.withLock { $0.senders }, sent).map { "\($0) \($1)" }
    }

    /// A process of the app, on a phone that was off until a time; the one before it is killed.
    func launch(at time: Duration = .zero) -> AlarmApp {
        let files = state.withLock { state in
            state.files = state.files.afterKill()
            return state.files
        }
        return AlarmApp(self, files, at: time)
    }

    fileprivate func reply(_ request: MockRequest) -> MockResponse {
        guard isOnline else { return .failure(.cannotConnect) }
        let response = alarms.respond(to: request)
        if request.method == .post, response.status == 200 {
            state.withLock { $0.senders.append(request.headers["Authorization"] ?? "nobody") }
        }
        return response.onMock
    }
}

struct AlarmApp {
    let phone: AlarmPhone
    let outbox: Outbox
    let client: Client
    private let clock: SkippingClock

    fileprivate init(_ phone: AlarmPhone, _ files: ModelFiles, at time: Duration) {
        self.phone = phone
        clock = SkippingClock(at: time)
        var options = Outbox.Options()
        options.pollInterval = nil
        outbox = Outbox(files: files, folder: "/box", options: options, clock: clock) { [clock] in clock.date }
        let mock = MockTransport()
        mock.on(nil, "/**") { phone.reply($0) }
        client = Client(transport: mock).set(partition: phone).add(provider: SessionField(phone: phone))
            .cache(phone.cache).outbox(outbox)
    }

    func list(pageSize: Int = 20) -> AlarmList<String> {
        let base = URL(string: "http://127.0.0.1/api/v1") ?? URL(filePath: "/")
        let client = AlarmClient(base: base, builder: UrlChainsBuilder(client: client))
        return AlarmList(client: client, pageSize: pageSize, outbox: outbox) { $0 }
    }

    func loaded() async throws -> AlarmList<String> {
        let list = self.list()
        try await list.refresh()
        return list
    }

    /// Delivers until nothing is left that goes by itself, or nobody is there.
    func deliver() async {
        let task = Task { try? await outbox.drain(with: client) }
        clock.onSleep { [phone] in if !phone.isOnline { task.cancel() } }
        _ = await task.value
        clock.onSleep(nil)
    }

    func waiting(_ count: Int) async {
        for await state in outbox.changes where state.waiting >= count { return }
    }
}

private struct SessionField: MetadataProvider {
    let phone: AlarmPhone
    func metadata() -> Headers { ["Authorization": phone.user] }
}
