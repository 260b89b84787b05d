import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("JSON options and a custom format", .timeLimit(.minutes(10)), .paced)
struct OwnFormatCodingTests {
    /// JSON under another media type.
    struct Signed: RequestPayload, ResponsePayload, JsonCoding.Carrier {
        static var accept: String { "application/vnd.example.signed+json" }
        var json: Json

        init(json: Json) { self.json = json }

        init(response: TransportResponse) throws { json = try Json(response: response) }

        func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) throws -> EncodedPayload {
            EncodedPayload(body: .bytes(try json.data()), contentType: Self.accept)
        }

        func carrying(_ coding: JsonCoding) -> Signed { Signed(json: json.carrying(coding)) }
    }

    struct Pet: Codable, Sendable, Equatable, RawMappable, DTOConvertible {
        typealias Raw = Signed
        typealias DTO = Pet
        let petName: String

        static func from(raw: Signed) throws -> Pet { try raw.json.decode(Pet.self) }
        func toRaw() throws -> Signed { Signed(json: try Json(encoding: self)) }
        static func from(dto: Pet) throws -> Pet { dto }
        func toDTO() throws -> Pet { self }
    }

    @Test("the chain's options reach the JSON inside, in both directions")
    func bothWays() async throws {
        let requests = Recorder<TransportRequest>()
        let client = Client(transport: requests.transport(#"{"pet_name":"Rex"}"#))
        let chain: Chain<Pet, Pet> = UrlChainsBuilder<String>(client: client)
            .set(coding: JsonCoding(keys: .snakeCase))
            .route(.post, "http://a.test/")
            .build()
        #expect(try await chain.process(Pet(petName: "Ann")) == Pet(petName: "Rex"))
        let body = try await requests.values.first?.body.collect(limit: 1000)
        #expect(body.map { String(decoding: $0, as: UTF8.self) } == #"{"pet_name":"Ann"}"#)
    }
}
