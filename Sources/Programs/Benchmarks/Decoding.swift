import CoreNetKit
import CoreNetKitHTTP
import Foundation

/// A list of 1000 users through the chain, and by plain JSONDecoder and JSONEncoder on the same bytes.
extension Benchmarks {
    struct PhotoEntry: Codable, RawMappable {
        typealias Raw = Json
        let id: String
        let ref: String
    }

    struct UserEntry: Codable, RawMappable {
        typealias Raw = Json
        let name: String
        let age: Int
        let email: String
        let photos: [PhotoEntry]
    }

    struct User: DTODecodable {
        typealias DTO = UserEntry
        let name: String
        let age: Int
        let images: [String]

        static func from(dto: UserEntry) throws -> User {
            User(name: dto.name, age: dto.age, images: dto.photos.map(\.ref))
        }
    }

    static func users(_ count: Int = 1000) throws -> Data {
        let users = (0..<count).map { user in
            UserEntry(
                name: "User \(user) سلام 사용자",
                age: user % 90,
                email: "user\(user)@example.com",
                photos: (0..<3).map {
                    PhotoEntry(id: "\(user)-\($0)", ref: "https://img.example.com/\(user)/\($0).png")
                }
            )
        }
        return try JSONEncoder().encode(users)
    }

    @concurrent
    static func decoding() async throws {
        try await small()
        try await large()
        try await encoding()
    }

    /// The body of the request benchmarks, without a chain around it.
    private static func small() async throws {
        let data = Data(BenchServer.hello.utf8)
        let decoder = JSONDecoder()
        let workloads = [
            Workload("JSONDecoder", iterations: 5000) { _ = try decoder.decode(Hello.self, from: data) },
            Workload("Json, undecoded until then", iterations: 5000) {
                _ = try Json(undecoded: data).decode(Hello.self)
            },
        ]
        let table = Table("Decoding \(data.count) bytes", ["", "ns", "ratio", "allocations"])
        try await measure(table, workloads, unit: 1e-9, digits: 0)
    }

    private static func large() async throws {
        guard let url = URL(string: "http://127.0.0.1/users") else { return }
        let data = try users()
        let transport = InstantTransport(response: TransportResponse(status: 200, body: .bytes(data), url: url))
        let builder = UrlChainsBuilder<URL>().set(transport: transport).route(.get, url)
        let models: Chain<Void, [User]> = builder.build()
        let entries: Chain<Void, [UserEntry]> = builder.build()
        let json: Chain<Void, Json> = builder.build()
        let decoder = JSONDecoder()
        let workloads = [
            Workload("JSONDecoder on the same bytes", iterations: 5) {
                _ = try decoder.decode([UserEntry].self, from: data)
            },
            Workload("JSONDecoder, then mapped to models", iterations: 5) {
                _ = try decoder.decode([UserEntry].self, from: data).map(User.from)
            },
            Workload("chain to DTO models: [User]", iterations: 5) { _ = try await models.process() as [User] },
            Workload("chain to entries, no app layer: [UserEntry]", iterations: 5) {
                _ = try await entries.process() as [UserEntry]
            },
            Workload("chain to Json, tree built", iterations: 5) { _ = try await json.process() as Json },
        ]
        let title = "Decoding 1000 users, 3 photos each, \(data.count / 1000) kB"
        try await measure(Table(title, ["", "ms", "ratio", "allocations"]), workloads, unit: 1e-3, digits: 2)
    }

    /// Models to JSON, sorted by name as in a chain.
    private static func encoding() async throws {
        let users = try JSONDecoder().decode([UserEntry].self, from: users())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let coding = JsonCoding()
        let table = Table("Encoding users, 3 photos each", ["", "µs", "ratio", "allocations"])
        for (users, name, times) in [(Array(users.prefix(1)), "1 user", 1000), (users, "1000 users", 5)] {
            let workloads = [
                Workload("JSONEncoder, \(name)", iterations: times) { _ = try encoder.encode(users) },
                Workload("Json, \(name)", iterations: times) { _ = try Json(encoding: users, as: coding).data() },
            ]
            try await measure(table, workloads, unit: 1e-6, digits: 1)
        }
    }

    /// A row for each, in units of so many seconds, beside the first one.
    private static func measure(_ table: Table, _ workloads: [Workload], unit: Double, digits: Int) async throws {
        let samples = try await Workload.samples(of: workloads, rounds: 15)
        let plain = samples[0].median(\.wall)
        for (workload, samples) in zip(workloads, samples) {
            let wall = samples.median(\.wall)
            table.row([
                workload.name, (wall / unit).text(digits), (wall / plain).text() + "x",
                samples.median(\.allocations).text(1),
            ])
        }
    }
}
