import CoreNetKit
import CoreNetKitOutbox
import CoreNetKitSystem
import Foundation

/// How fast an outbox is on this disk, beside a plain loop of write and sync: `OutboxProgram measure <folder>`.
struct Figures {
    let folder: URL

    func measure() async throws {
        say("plain write + fdatasync, 300 bytes: \(try perSecond(400) { try plainLoop($0) })")
        for (name, durability) in [("synced", Outbox.Durability.synced), ("written", .written)] {
            for writers in [1, 64] {
                let count = durability == .synced && writers == 1 ? 400 : 6400
                let rate = try await enqueue(count, writers, durability, "\(name)-\(writers)")
                say("enqueue, \(name), \(writers) writers: \(rate)")
            }
        }
        try await start()
    }

    private func enqueue(_ count: Int, _ writers: Int, _ durability: Outbox.Durability, _ name: String) async throws
        -> String
    {
        let outbox = try openOutbox(at: folder.appendingPathComponent(name), durability)
        try await outbox.enqueue(request("warm"))
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in 0..<count / writers { try await outbox.enqueue(request("\(writer)-\(number)")) }
                }
            }
            try await group.waitForAll()
        }
        return rate(count, ContinuousClock.now - start)
    }

    private func start() async throws {
        do {
            let outbox = try openOutbox(at: folder.appendingPathComponent("many"))
            for number in 0..<10_000 {
                let owner = number % 2 == 0 ? "a" : "b"
                try await outbox.enqueue(request("\(number)"), in: "q\(number % 100)", owner: owner)
            }
        }
        let before = residentKilobytes
        let outbox = try openOutbox(at: folder.appendingPathComponent("many"))
        var start = ContinuousClock.now
        try await outbox.resume()
        let waiting = await outbox.state.waiting
        say(
            "start with \(waiting) entries: \(milliseconds(ContinuousClock.now - start)) ms, \(residentKilobytes - before) kB"
        )
        start = ContinuousClock.now
        try await outbox.removeAll(owner: "a")
        say("removing 5 000 of them and compacting: \(milliseconds(ContinuousClock.now - start)) ms")
    }

    private func request(_ text: String) -> OutboxRequest {
        let body = RequestBody.bytes(Data(text.utf8) + Data(repeating: 32, count: 100))
        return OutboxRequest(method: .post, url: Self.url, headers: ["Content-Type": "application/json"], body: body)
    }

    private static let url = URL(string: "https://api.example.com/orders") ?? URL(fileURLWithPath: "/")

    private func plainLoop(_ count: Int) throws {
        let files = PosixFiles()
        let file = try files.open(folder.appendingPathComponent("plain").path, .updateOrCreate)
        defer { files.close(file) }
        let bytes = [UInt8](repeating: 32, count: 300)
        for number in 0..<count {
            try files.writeAll(file, bytes, at: number * bytes.count)
            try files.sync(file, .barrier)
        }
    }

    private func perSecond(_ count: Int, _ work: (Int) throws -> Void) rethrows -> String {
        let start = ContinuousClock.now
        try work(count)
        return rate(count, ContinuousClock.now - start)
    }

    private func rate(_ count: Int, _ time: Duration) -> String {
        "\(Int(Double(count) / (time / .seconds(1)))) per second"
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
