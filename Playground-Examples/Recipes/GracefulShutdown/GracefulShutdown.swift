import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// The shape of ServiceLifecycle: `run()` lasts until a shutdown is requested, and then lets running calls finish.
struct PriceService: Sendable {
    let calls = Client.CallGroup()
    let prices: Chain<Void, Json>

    init(_ url: URL) {
        prices = UrlChainsBuilder<URL>(client: Client().group(calls)).route(.get, url).build()
    }

    func run(until shutdown: AsyncStream<Void>) async {
        for await _ in shutdown {}
        let cancelled = await calls.shutdown(within: .seconds(20))
        print("stopped, \(cancelled) calls cancelled")
    }
}

@main
struct GracefulShutdown {
    static func main() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.on(.get, "/prices", .json(#"{"tea": 3}"#).fault(.stall(.beforeStatus, until: gate)))
        let service = PriceService(server.url("/prices"))
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        let running = Task { await service.run(until: signals) }

        let call = Task { try await service.prices.call()["tea"]?.int ?? 0 }
        _ = try await server.request(at: 0)
        signal.finish()  // SIGTERM, in a server
        gate.open()
        print("tea \(try await call.value)")
        await running.value
        do { _ = try await service.prices.call() } catch let error as NetworkError { print("\(error.code)") }
    }
}
