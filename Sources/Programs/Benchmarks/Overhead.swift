import CoreNetKit
import CoreNetKitHTTP
import Dispatch
import Foundation

/// Responds to each request at once and in the same way.
struct InstantTransport: Transport {
    let response: TransportResponse
    var capabilities: TransportCapabilities { [] }
    func clientIdentity(for url: URL) -> String? { "" }
    func send(_ request: TransportRequest) async throws -> TransportResponse { response }
}

/// The cost of the chain itself: a full default chain over a transport that responds at once.
extension Benchmarks {
    private struct Entry: Codable, RawMappable, DTOConvertible {
        typealias Raw = Json
        typealias DTO = Entry
        let a: Int
    }

    @concurrent
    static func overhead() async throws {
        guard let url = URL(string: "http://127.0.0.1/hello") else { return }
        let response = TransportResponse(
            status: 200,
            headers: ["Content-Type": "application/json"],
            body: .bytes(Data(#"{"a":1}"#.utf8)),
            url: url
        )
        let transport = InstantTransport(response: response)
        let builder = UrlChainsBuilder<URL>().set(transport: transport).route(.get, url)
        let data: Chain<Void, Data> = builder.loadData()
        let model: Chain<Void, Entry> = builder.build()
        let request = TransportRequest(url: url)
        let table = Table("Chain over a transport that responds at once", ["", "ns/call", "allocations"])
        let count = 20_000
        try await measure(
            table,
            [
                Work("the transport alone, awaited", each: count) { _ = try await transport.send(request) },
                Work("GET, bytes, awaited off the main actor", each: count) { _ = try await data.process() as Data },
                Work("GET, one small model decoded, awaited", each: count) { _ = try await model.process() as Entry },
                Work("building the chain, route and model", each: count) {
                    let _: Chain<Void, Entry> = builder.build()
                },
            ],
            rounds: 5
        )
        let callbacks = [
            Work("callbacks on the main queue, one at a time", each: 10_000) { await responded(data) },
            Work("callbacks on the main queue, 64 in flight", calls: 99_968) {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 { group.addTask { for _ in 0..<99_968 / 64 { await responded(data) } } }
                }
            },
        ]
        try await measure(table, callbacks, rounds: 1)
    }

    private static func responded(_ chain: Chain<Void, Data>) async {
        await withUnsafeContinuation { continuation in
            let observer: Observer<Data> = chain.process()
            observer.defer { continuation.resume() }
        }
    }

    private static func measure(_ table: Table, _ works: [Work], rounds: Int) async throws {
        let samples = try await Work.samples(of: works, rounds: rounds, warmUps: rounds > 1 ? 1 : 0)
        for (work, samples) in zip(works, samples) {
            table.row([work.name, (samples.median(\.wall) * 1e9).text(0), samples.median(\.allocations).text(1)])
        }
    }
}
