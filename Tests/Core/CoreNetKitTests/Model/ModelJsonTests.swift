import TestSupport

@Suite("JSON of entries", .timeLimit(.minutes(10)), .paced)
struct ModelJsonTests {
    @Test("a field of an entry is taken unchanged from the body: numbers, order and duplicate members")
    func exactFields() throws {
        struct Entry: Codable, RawMappable {
            typealias Raw = Json
            var meta: Json
            var more: [String: [Json?]]?
        }
        let text = #"{"z":1e400,"a":0.10,"b":[12345678901234567890123456789012345678901234567890,1.0],"a":2}"#
        let body = "{\"meta\":\(text),\"more\":{\"k\":[null,\(text)]}}"
        for raw in [Json(undecoded: Data(body.utf8)), try Json(parsing: body)] {
            let entry = try Entry.from(raw: raw)
            #expect(entry.meta.description == text)
            #expect(entry.more?["k"]?[1]?.description == text)
            #expect(try [Entry].from(raw: Json([raw, raw]))[1].meta.description == text)
            #expect(try [String: Entry].from(raw: ["x": raw])["x"]?.meta.description == text)
        }
    }

    @Test(
        "keys, dates and fractions of seconds follow the options, in both directions",
        arguments: [
            (JsonCoding(), #"{"createdAt":86400,"userName":"a"}"#),
            (JsonCoding(keys: .snakeCase, dates: .iso8601), #"{"created_at":"2001-01-02T00:00:00Z","user_name":"a"}"#),
            (JsonCoding(dates: .secondsSince1970), #"{"createdAt":978393600,"userName":"a"}"#),
            (
                JsonCoding(keys: .snakeCase, dates: .millisecondsSince1970),
                #"{"created_at":978393600000,"user_name":"a"}"#
            ),
        ]
    )
    func coding(coding: JsonCoding, text: String) throws {
        struct Entry: Codable, RawMappable, Equatable {
            typealias Raw = Json
            var userName: String
            var createdAt: Date
        }
        let entry = Entry(userName: "a", createdAt: Date(timeIntervalSinceReferenceDate: 86400))
        func raw(_ text: String) -> Json { Json(undecoded: Data(text.utf8)).with(coding) }
        #expect(try entry.toRaw().with(coding).text() == text)
        #expect(try [entry].toRaw().with(coding).text() == "[\(text)]")
        #expect(try ["someKey": entry].toRaw().with(coding).text() == "{\"someKey\":\(text)}")
        #expect(try Entry.from(raw: raw(text)) == entry)
        #expect(try [Entry].from(raw: raw("[\(text)]")) == [entry])
        #expect(try [String: Entry].from(raw: raw("{\"some_key\":\(text)}")) == ["some_key": entry])
        #expect(try Json(parsing: text).decode(Entry.self, as: coding) == entry)
    }
}

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
            .route(.post, "http://a.test/").build()
        #expect(try await chain.process(Pet(petName: "Ann")) == Pet(petName: "Rex"))
        let body = try await requests.values.first?.body.collect(limit: 1000)
        #expect(body.map { String(decoding: $0, as: UTF8.self) } == #"{"pet_name":"Ann"}"#)
    }
}
