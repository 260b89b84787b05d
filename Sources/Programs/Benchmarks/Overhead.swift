import CoreNetKit
import CoreNetKitHTTP
import Dispatch
import Foundation

/// The cost of the chain itself: a full default chain over a transport that responds at once.
struct Overhead {
    private struct InstantTransport: Transport {
        let response: TransportResponse
        var capabilities: TransportCapabilities { [] }
        func send(_ request: TransportRequest) async throws -> TransportResponse { response }
    }

    private struct Entry: Codable, RawMappable, DTOConvertible {
        typealias Raw = Json
        typealias DTO = Entry
        let a: Int
    }

    private static let count = 100_000

    @concurrent
    static func run() async throws {
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
        try await measure(table, "the transport alone, awaited") { _ = try await transport.send(request) }
        try await measure(table, "GET, bytes, awaited off the main actor") { _ = try await data.process() as Data }
        try await measure(table, "GET, one small model decoded, awaited") { _ = try await model.process() as Entry }
        try await measure(table, "building the chain, route and model") { let _: Chain<Void, Entry> = builder.build() }
        await callbacks(table, data)
    }

    private static func callbacks(_ table: Table, _ chain: Chain<Void, Data>) async {
        let single = await Sample.of {
            for _ in 0..<count / 10 { await responded(chain) }
        }
        row(table, "callbacks on the main queue, one at a time", single, calls: count / 10)
        let many = await Sample.of {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask { for _ in 0..<count / 64 { await responded(chain) } }
                }
            }
        }
        row(table, "callbacks on the main queue, 64 in flight", many, calls: count / 64 * 64)
    }

    private static func responded(_ chain: Chain<Void, Data>) async {
        await withUnsafeContinuation { continuation in
            let observer: Observer<Data> = chain.process()
            observer.defer { continuation.resume() }
        }
    }

    private static func measure(_ table: Table, _ name: String, _ call: () async throws -> Void) async throws {
        for _ in 0..<1000 { try await call() }
        var samples: [Sample] = []
        for _ in 0..<5 {
            samples.append(try await Sample.of { for _ in 0..<count / 5 { try await call() } })
        }
        samples.sort { $0.wall < $1.wall }
        row(table, name, samples[2], calls: count / 5)
    }

    private static func row(_ table: Table, _ name: String, _ sample: Sample, calls: Int) {
        table.row([
            name, (sample.wall / Double(calls) * 1e9).text(0), (sample.allocations / Double(calls)).text(1),
        ])
    }
}
