import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitOutbox
import Foundation

/// What many waiting entries cost: `OutboxProgram fill <folder> <entries> <queues>`, then `OutboxProgram open <folder>`.
///
/// Two processes, so that what is measured is a start: its time, how much memory it takes beside that of an empty box, and
/// how long steps take while all of them wait. Without queues (0) each entry has one of its own.
struct WaitingFigures {
    let folder: URL

    private var box: URL { folder.appendingPathComponent("waiting") }

    func fill(_ count: Int, queues: Int) async throws {
        let outbox = try openOutbox(at: box)
        for number in 0..<count {
            try await outbox.enqueue(request(number), in: queues > 0 ? "queue/\(number % queues)" : nil, owner: "alice")
        }
        print("stored \(await outbox.state.waiting)")
    }

    func measure() async throws {
        let empty = try openOutbox(at: folder.appendingPathComponent("empty"))
        try await empty.resume()
        try await empty.enqueue(request(0))
        let before = residentKilobytes
        let outbox = try openOutbox(at: box)
        // Of the processor, too: a machine with much else to do takes its time.
        let began = clock()
        var start = ContinuousClock.now
        try await outbox.resume()
        let opened = ContinuousClock.now - start
        let work = Int(clock() - began) * 1000 / Int(CLOCKS_PER_SEC)
        // Before anybody asks for the state, which is a list of all queues.
        let growth = residentKilobytes - before
        // Bob's requests, while all of Alice's wait: to store and send them must not look at hers.
        start = ContinuousClock.now
        for number in 0..<1_000 { try await outbox.enqueue(request(number), in: "queue/\(number % 100)", owner: "bob") }
        let stored = ContinuousClock.now - start
        let client = Client(transport: EveryRequest(status: 204)).outbox(outbox)
        try await outbox.switchOwner(to: "bob")
        start = ContinuousClock.now
        let left = try await outbox.drain(with: client).waiting
        let sent = ContinuousClock.now - start
        print(
            "open_ms \(milliseconds(opened)) open_cpu_ms \(work) growth_kb \(growth) store_1000_ms \(milliseconds(stored)) "
                + "send_1000_ms \(milliseconds(sent)) left \(left)"
        )
    }

    private func request(_ number: Int) -> OutboxRequest {
        OutboxRequest(
            method: .put,
            url: URL(string: "https://api.example.com/orders/\(number)") ?? folder,
            headers: ["Content-Type": "application/json"],
            body: .bytes(Data(#"{"number":\#(number),"text":"one of many"}"#.utf8))
        )
    }
}

func openOutbox(at folder: URL, _ durability: Outbox.Durability = .written) throws -> Outbox {
    var options = Outbox.Options()
    options.durability = durability
    options.limits = .init(entries: 1 << 20, bytes: 1 << 30)
    return try Outbox(at: folder, options: options)
}

func milliseconds(_ time: Duration) -> Int { Int(time / .milliseconds(1)) }

var residentKilobytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
}

/// Responds to each request at once.
private struct EveryRequest: Transport {
    let status: Int
    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(status: status, headers: [:], url: request.url)
    }
}
