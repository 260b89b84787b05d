import CoreNetKit
import CoreNetKitHTTP
import Foundation

/// A list of 1000 users through the chain, and by plain JSONDecoder and JSONEncoder on the same bytes.
struct Decoding {
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

    private struct FixedTransport: Transport {
        let data: Data
        var capabilities: TransportCapabilities { [] }
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(status: 200, body: .bytes(data), url: request.url)
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
    static func run() async throws {
        try await small()
        try await large()
        try await encoding()
    }

    /// The body of the request benchmarks, without a chain around it.
    private static func small() async throws {
        let data = Data(BenchServer.hello.utf8)
        let decoder = JSONDecoder()
        let table = Table("Decoding \(data.count) bytes", ["", "ns", "ratio", "allocations"])
        let works: [(String, () throws -> Void)] = [
            ("JSONDecoder", { _ = try decoder.decode(Requests.Hello.self, from: data) }),
            ("Json, undecoded until then", { _ = try Json(undecoded: data).decode(Requests.Hello.self) }),
        ]
        var samples = works.map { _ in [Sample]() }
        for _ in 0..<15 {
            for (index, work) in works.enumerated() {
                samples[index].append(try await Sample.of { for _ in 0..<5000 { try work.1() } })
            }
        }
        let plain = samples[0].map(\.wall).median
        for (index, work) in works.enumerated() {
            let wall = samples[index].map(\.wall).median
            table.row([
                work.0, (wall / 5000 * 1e9).text(0), (wall / plain).text() + "x",
                (samples[index][14].allocations / 5000).text(1),
            ])
        }
    }

    private static func large() async throws {
        let data = try users()
        let builder = UrlChainsBuilder<String>().set(transport: FixedTransport(data: data))
            .route(.get, "http://127.0.0.1/users")
        let models: Chain<Void, [User]> = builder.build()
        let entries: Chain<Void, [UserEntry]> = builder.build()
        let json: Chain<Void, Json> = builder.build()
        let decoder = JSONDecoder()

        let table = Table(
            "Decoding 1000 users, 3 photos each, \(data.count / 1000) kB",
            ["", "ms", "ratio", "allocations"]
        )
        var plain: [Double] = []
        var rows: [(String, [Double], Double)] = []
        // Interleaved, so that a noisy moment affects all rows alike.
        let works: [(String, () async throws -> Void)] = [
            ("JSONDecoder on the same bytes", { _ = try decoder.decode([UserEntry].self, from: data) }),
            (
                "JSONDecoder, then mapped to models",
                { _ = try decoder.decode([UserEntry].self, from: data).map(User.from) }
            ),
            ("chain to DTO models: [User]", { _ = try await models.process() as [User] }),
            ("chain to entries, no app layer: [UserEntry]", { _ = try await entries.process() as [UserEntry] }),
            ("chain to Json, tree built", { _ = try await json.process() as Json }),
        ]
        for work in works { rows.append((work.0, [], 0)) }
        for _ in 0..<15 {
            for (index, work) in works.enumerated() {
                let sample = try await Sample.of { for _ in 0..<5 { try await work.1() } }
                rows[index].1.append(sample.wall / 5 * 1000)
                rows[index].2 = sample.allocations / 5
                if index == 0 { plain.append(sample.wall / 5 * 1000) }
            }
        }
        for row in rows {
            table.row([row.0, row.1.median.text(), (row.1.median / plain.median).text() + "x", row.2.text(0)])
        }
    }

    /// Models to JSON, sorted by name as in a chain.
    private static func encoding() async throws {
        let users = try JSONDecoder().decode([UserEntry].self, from: users())
        let one = Array(users.prefix(1))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let coding = JsonCoding()
        let table = Table("Encoding users, 3 photos each", ["", "µs", "ratio", "allocations"])
        let works: [(name: String, rounds: Int, work: () throws -> Void)] = [
            ("JSONEncoder, 1 user", 1000, { _ = try encoder.encode(one) }),
            ("Json, 1 user", 1000, { _ = try Json(encoding: one, as: coding).data() }),
            ("JSONEncoder, 1000 users", 5, { _ = try encoder.encode(users) }),
            ("Json, 1000 users", 5, { _ = try Json(encoding: users, as: coding).data() }),
        ]
        var samples = works.map { _ in [Sample]() }
        for _ in 0..<15 {
            for (index, work) in works.enumerated() {
                samples[index].append(try await Sample.of { for _ in 0..<work.rounds { try work.work() } })
            }
        }
        for (index, work) in works.enumerated() {
            let rounds = Double(work.rounds)
            let wall = samples[index].map(\.wall).median
            let plain = samples[index / 2 * 2].map(\.wall).median
            table.row([
                work.name, (wall / rounds * 1e6).text(1), (wall / plain).text() + "x",
                (samples[index][14].allocations / rounds).text(1),
            ])
        }
    }
}
