import CoreNetKit
import CoreNetKitOutbox
import Foundation

struct Order: Codable, Sendable, DTOConvertible, RawMappable {
    typealias DTO = Self
    typealias Raw = Json
    var item: String
}

struct Orders: UrlRouteProvider {
    let server: URL
    func url() throws -> URL { try server + "orders" }
}

/// An app that orders coffee.
struct App {
    private let outbox: Outbox
    private let client: Client
    private let order: Chain<Order, OutboxReceipt>

    init(folder: URL, server: URL) throws {
        var options = Outbox.Options()
        options.firstBackoff = .milliseconds(50)
        outbox = try Outbox(at: folder, options: options)
        client = Client().idempotencyKey().outbox(outbox)
        order = UrlChainsBuilder<Orders>(client: client).route(.post, Orders(server: server))
            .enqueue(in: "table 7", as: "order", expires: .seconds(3600), sending: .json)
    }

    /// The server is down; the orders are stored anyway, and then the process is killed.
    func writeAndDie() async throws {
        for item in ["espresso", "flat white", "cake"] {
            let receipt = try await order.process(Order(item: item))
            say("   app: \(item) is on disk, key \(receipt.key?.prefix(8) ?? "none")")
        }
        let delivery = Task { try await outbox.run(with: client) }
        for await state in outbox.changes {
            guard let next = state.queues.first?.nextAttempt else { continue }
            say("   app: \(state.waiting) orders wait, the next attempt is in \(milliseconds(until: next)) ms")
            break
        }
        say("   app: kill -9, in the middle of everything")
        kill(getpid(), SIGKILL)
        try await delivery.value
    }

    /// The next start: no code has to remember anything.
    func deliver() async throws {
        say("   app: started again, \(await outbox.state.waiting) orders were on disk")
        await outbox.on("order", as: Order.self) { entry, response in
            let item = (try? response.get())?.item ?? "an order"
            say("   app: \(item) is confirmed, at attempt \(entry.attempts) of two lives")
        }
        let state = try await outbox.drain(with: client)
        say("   app: \(state.waiting) orders wait, \(state.deadLetters.count) were refused")
    }

    private func milliseconds(until date: Date) -> Int { max(0, Int(date.timeIntervalSinceNow * 1000)) }
}
