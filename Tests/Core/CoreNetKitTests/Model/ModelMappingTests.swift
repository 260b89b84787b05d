import TestSupport

private struct PictureEntry: Codable, RawMappable, Equatable {
    typealias Raw = Json
    var ref: String
}

private struct Photo: DTOConvertible, Equatable {
    typealias DTO = PictureEntry
    var link: String
    func toDTO() -> PictureEntry { PictureEntry(ref: link) }
    static func from(dto: PictureEntry) -> Photo { Photo(link: dto.ref) }
}

/// Reads itself by hand although it could be decoded: its JSON has an envelope.
private struct Wrapped: Codable, RawMappable, Equatable {
    var id: Int
    static func from(raw: Json) throws -> Wrapped {
        guard let inner = raw["data"] else { return try raw.decode() }
        return try inner.decode()
    }
    func toRaw() throws -> Json { ["data": try Json(encoding: self)] }
}

/// Changes what it decodes, so that one sees whether its own reading was used.
private struct Marked: Codable, RawDecodable, Equatable {
    var id: Int
    static func from(raw: Json) throws -> Marked {
        var marked: Marked = try raw.decode()
        marked.id += 1000
        return marked
    }
}

/// Has no decoder at all.
private struct ByHand: RawMappable, Equatable {
    var name: String
    static func from(raw: Json) throws -> ByHand {
        guard let name = raw["n"]?.string else { throw Missing() }
        return ByHand(name: name)
    }
    func toRaw() -> Json { ["n": Json(name)] }
    struct Missing: Error {}
}

private func raw(_ text: String) -> Json { Json(undecoded: Data(text.utf8)) }

@Suite("Models and raw data", .timeLimit(.minutes(10)), .paced)
struct ModelMappingTests {
    @Test("entries come from bytes, from a tree and from a part of a tree alike")
    func sources() throws {
        let text = #"{"photos":[{"ref":"a"},{"ref":"b"}]}"#
        let expected = [PictureEntry(ref: "a"), PictureEntry(ref: "b")]
        #expect(try [PictureEntry].from(raw: raw(#"[{"ref":"a"},{"ref":"b"}]"#)) == expected)
        #expect(try [PictureEntry].from(raw: Json(parsing: text)["photos"] ?? nil) == expected)
        #expect(try [PictureEntry].from(raw: [["ref": "a"], ["ref": "b"]]) == expected)
        #expect(try PictureEntry.from(raw: ["ref": "a"]) == expected[0])
    }

    @Test("a type's own from(raw:) is honoured at the top and inside arrays, optionals and dictionaries, at any depth")
    func ownReading() throws {
        let one = #"{"data":{"id":7}}"#
        let wrapped = Wrapped(id: 7)
        #expect(try Wrapped.from(raw: raw(one)) == wrapped)
        #expect(try [Wrapped].from(raw: raw("[\(one),{\"id\":8}]")) == [wrapped, Wrapped(id: 8)])
        #expect(try Wrapped?.from(raw: raw(one)) == wrapped)
        #expect(try Wrapped?.from(raw: raw(" null")) == nil)
        #expect(try [Wrapped?].from(raw: raw("[null,\(one),null]")) == [nil, wrapped, nil])
        #expect(try [String: Wrapped].from(raw: raw("{\"a\":\(one)}")) == ["a": wrapped])
        #expect(
            try [String: [Wrapped?]].from(raw: raw("{\"a\":[\(one),null],\"b\":[]}")) == [
                "a": [wrapped, nil], "b": [],
            ]
        )
        #expect(
            try [[[Wrapped]]].from(raw: raw("[[[\(one)],[]],[[\(one),\(one)]]]")) == [
                [[wrapped], []], [[wrapped, wrapped]],
            ]
        )
        #expect(try [[String: Wrapped]?].from(raw: raw("[{\"k\":\(one)},null]")) == [["k": wrapped], nil])
        #expect(try [Wrapped].from(raw: Json(parsing: "[\(one)]")) == [wrapped])
    }

    @Test("every element is read by its type's own from(raw:), later ones too")
    func everyElement() throws {
        let text = "[" + (0..<50).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
        #expect(try [Marked].from(raw: raw(text)).map(\.id) == Array(1000..<1050))
        #expect(try [[Marked]].from(raw: raw("[\(text),\(text)]"))[1].map(\.id) == Array(1000..<1050))
        #expect(
            try [String: Marked].from(raw: raw(#"{"a":{"id":1},"b":{"id":2}}"#)).mapValues(\.id) == [
                "a": 1001, "b": 1002,
            ]
        )
    }

    @Test("a type without a decoder reads and writes itself inside containers")
    func byHand() throws {
        let values = ["a": [ByHand(name: "x"), ByHand(name: "y")], "b": []]
        let json = try values.toRaw()
        #expect(try json.text() == #"{"a":[{"n":"x"},{"n":"y"}],"b":[]}"#)
        #expect(try [String: [ByHand]].from(raw: json) == values)
        #expect(throws: ByHand.Missing.self) { try [ByHand].from(raw: raw(#"[{"n":1}]"#)) }
    }

    @Test("containers write the result of each element's own toRaw()")
    func ownWriting() throws {
        #expect(try [Wrapped(id: 1), Wrapped(id: 2)].toRaw().text() == #"[{"data":{"id":1}},{"data":{"id":2}}]"#)
        #expect(try ["b": Wrapped(id: 1), "a\"": nil].toRaw().text() == #"{"a\"":null,"b":{"data":{"id":1}}}"#)
        #expect(try Wrapped?.none.toRaw() == .null)
        #expect(try [PictureEntry]().toRaw().text() == "[]")
    }

    @Test("a value kept from decoding can be read after the body is decoded")
    func keptValues() throws {
        struct Keeper: Decodable, RawDecodable {
            var id: Int
            var raw: Json?
            enum CodingKeys: CodingKey { case id }
            static func from(raw: Json) throws -> Keeper {
                var keeper: Keeper = try raw.decode()
                keeper.raw = raw
                return keeper
            }
        }
        let text = #"{"list":[{"id":1,"n":1e400},{"id":2,"n":0.10}]}"#
        let kept = try [String: [Keeper]].from(raw: raw(text))["list"] ?? []
        #expect(kept.map(\.id) == [1, 2])
        #expect(kept.map { $0.raw?["n"]?.number } == ["1e400", "0.10"])
        #expect(try kept[1].raw.map { try Keeper.from(raw: $0).id } == 2)
    }

    @Test("models of models pass through arrays, optionals and dictionaries")
    func dtoLayers() throws {
        let photos = [Photo(link: "a"), Photo(link: "b")]
        #expect(try photos.toDTO().toRaw().text() == #"[{"ref":"a"},{"ref":"b"}]"#)
        #expect(try [Photo].from(dto: .from(raw: raw(#"[{"ref":"a"},{"ref":"b"}]"#))) == photos)
        #expect(try ["k": photos[0]].toDTO().toRaw().text() == #"{"k":{"ref":"a"}}"#)
        #expect(
            try [String: Photo?].from(dto: .from(raw: raw(#"{"k":{"ref":"a"},"n":null}"#))) == [
                "k": photos[0], "n": nil,
            ]
        )
        #expect(try Photo?.none.toDTO() == nil)
    }

    @Test("scalars are entries, alone and in containers")
    func scalars() throws {
        #expect(try Int.from(raw: raw("1")) == 1)
        #expect(try [Int].from(raw: raw("[1,2]")) == [1, 2])
        #expect(try [Int?].from(raw: raw("[1,null]")) == [1, nil])
        #expect(try [String: [Bool]].from(raw: raw(#"{"a":[true]}"#)) == ["a": [true]])
        #expect(try [Decimal].from(raw: raw("[0.1]")) == [Decimal(string: "0.1")])
        #expect(try [URL?].from(raw: raw(#"["https://a.b",null]"#)) == [URL(string: "https://a.b"), nil])
        #expect(try [1, 2].toRaw().text() == "[1,2]")
        #expect(try [UUID].from(raw: raw(#"["E621E1F8-C36C-495A-93FC-0C247A3E6E5F"]"#)).count == 1)
        let day = Date(timeIntervalSince1970: 86400)
        func iso(_ text: String) -> Json { raw(text).with(JsonCoding(dates: .iso8601)) }
        #expect(try [day].toRaw().with(JsonCoding(dates: .iso8601)).text() == #"["1970-01-02T00:00:00Z"]"#)
        #expect(try [Date].from(raw: iso(#"["1970-01-02T00:00:00Z"]"#)) == [day])
        #expect(try ["a": Date?.some(day)] == [String: Date?].from(raw: iso(#"{"a":"1970-01-02T00:00:00Z"}"#)))
        #expect(try [[Date?]].from(raw: iso(#"[["1970-01-02T00:00:00Z",null]]"#)) == [[day, nil]])
    }

    @Test("a plain model without a DTO keeps its own decoding and encoding, alone and in containers")
    func plainModels() throws {
        #expect(try raw(#"{"data":{"id":7}}"#).model(Wrapped.self) == Wrapped(id: 7))
        #expect(try raw(#"[{"data":{"id":7}}]"#).model([Wrapped].self) == [Wrapped(id: 7)])
        #expect(try raw(#"["a"]"#).model([String].self) == ["a"])
        #expect(try raw(#""a""#).model(String.self) == "a")
        #expect(try Json(model: Wrapped(id: 7)).text() == #"{"data":{"id":7}}"#)
        #expect(try Json(model: ["k": Wrapped(id: 7)]).text() == #"{"k":{"data":{"id":7}}}"#)
        #expect(try Json(model: ["a"]).text() == #"["a"]"#)
        #expect(try Json(model: "a").text() == #""a""#)
    }

    @Test("a response without a body is nil or empty only if its status says so")
    func noContent() throws {
        #expect(try PictureEntry?.from(raw: .noContent) == nil)
        #expect(try [PictureEntry].from(raw: .noContent) == [])
        #expect(try [String: PictureEntry].from(raw: .noContent) == [:])
        #expect(throws: JsonError.self) { try PictureEntry.from(raw: .noContent) }
        #expect(try Json.from(raw: .noContent) == .null)
        #expect(try PictureEntry?.from(raw: raw("")) == nil)
        #expect(throws: JsonError.self) { try PictureEntry?.from(raw: raw(" \n")) }
        for body in ["", " \n"] {
            #expect(throws: JsonError.self) { try [PictureEntry].from(raw: raw(body)) }
            #expect(throws: JsonError.self) { try [String: PictureEntry].from(raw: raw(body)) }
            #expect(throws: JsonError.self) { try [ByHand].from(raw: raw(body)) }
        }
    }
}
