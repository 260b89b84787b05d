import CoreNetKit
@testable import CoreNetKitFleet
import CoreNetKitHTTP
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("A response that is not kept for other processes", .timeLimit(.minutes(10)), .paced)
struct NotKeptTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var size = 2
        var isDelimited = true
    }

    private static let rows = [
        Row(testDescription: "its content has 65537 bytes of at most 65536", size: 65_537),
        Row(testDescription: "its content may be incomplete", isDelimited: false),
    ]

    @Test("is told of with the reason", arguments: rows)
    func reason(row: Row) async throws {
        let world = try IdempotencyRecordTests.World { request in
            let content = Data(String(repeating: "x", count: row.size).utf8)
            var response = TransportResponse(status: 200, body: .bytes(content), url: request.url)
            response.isDelimited = row.isDelimited
            return response
        }
        _ = await failure { _ = try await world.call("a") }
        let told = world.events.values.map(\.message)
        #expect(told == ["the response is not kept for other processes: \(row.testDescription)"])
        #expect(world.events.values.map(\.kind) == [.notStored])
    }

    @Test("that is none of success is told of with its status", arguments: [199, 300, 409])
    func status(_ status: Int) throws {
        let url = try #require(URL(string: host))
        let response = TransportResponse(status: status, body: .bytes(Data("no".utf8)), url: url)
        #expect(StoredResponse(response, "print") == nil)
        #expect(StoredResponse.reason(response) == "its status is \(status)")
    }
}
