import TestSupport

@Suite("Query and form items", .timeLimit(.minutes(10)), .paced)
struct EncodingParameterTests {
    @Test(
        "names and writes values by the strategies",
        arguments: [
            (.init(), ["name": "bob", "age": 23], "age=23&name=bob"),
            (.init(), ["sortKeys": ["value", "date"]], "sortKeys[]=value&sortKeys[]=date"),
            (.init(array: .noBrackets), ["sortKeys": ["value", "date"]], "sortKeys=value&sortKeys=date"),
            (.init(array: .indexed), ["k": ["a", ["x": "b"]]], "k[0]=a&k[1][x]=b"),
            (.init(array: .indexed), ["k": ["a", nil, "b"]], "k[0]=a&k[2]=b"),
            (.init(), ["on": true, "off": false], "off=0&on=1"),
            (.init(bool: .asBool), ["on": true, "off": false], "off=false&on=true"),
            (.init(), ["dict": ["name": "bob", "age": 23]], "dict[age]=23&dict[name]=bob"),
            (.init(dictionary: .dots), ["dict": ["a": ["b": 1, "c": [2]]]], "dict.a.b=1&dict.a.c[]=2"),
            (.init(), ["arr": ["a", 23, false, ["map"]]], "arr[]=a&arr[]=23&arr[]=0&arr[][]=map"),
            (.init(array: .noBrackets), ["arr": [["a"], ["b"]]], "arr=a&arr=b"),
            (.init(), ["a": [], "b": [:], "c": nil], ""),
            (.init(null: .empty), ["a": nil, "b": [nil, "x"]], "a=&b[]=&b[]=x"),
            (.init(null: .null), ["a": nil], "a=null"),
            (.init(), ["": "x", "e": ""], "=x&e="),
            (.init(), nil, ""),
        ] as [(ParameterStrategies, ParameterValue, String)]
    )
    func strategies(strategies: ParameterStrategies, value: ParameterValue, expected: String) throws {
        let items = try strategies.items(value)
        #expect(items.map { "\($0.name)=\($0.value)" }.joined(separator: "&") == expected)
    }

    @Test("sorts keys by their bytes at every level, and keeps the order of elements")
    func order() throws {
        let value: ParameterValue = ["b": ["z": 1, "a": 2, "é": 3, "Z": 4], "B": 0, "a": ["2", "1"], "é": 5, "~": 6]
        #expect(
            try ParameterStrategies().query(value)
                == "B=0&a%5B%5D=2&a%5B%5D=1&b%5BZ%5D=4&b%5Ba%5D=2&b%5Bz%5D=1&b%5B%C3%A9%5D=3&~=6&%C3%A9=5"
        )
    }

    @Test(
        "leaves an empty array out, or writes it without a value by the style of names",
        arguments: [
            (ParameterStrategies(), ""), (.init(emptyArray: .empty), "a%5B%5D=&b%5Bc%5D%5B%5D="),
            (.init(array: .noBrackets, emptyArray: .empty), "a=&b%5Bc%5D="),
            (.init(array: .indexed, dictionary: .dots, emptyArray: .empty), "a=&b.c="),
        ]
    )
    func emptyArrays(strategies: ParameterStrategies, expected: String) throws {
        let value: ParameterValue = .object(["a": .array([]), "b": .object(["c": .array([])]), "d": .object([:])])
        #expect(try strategies.query(value) == expected)
        #expect(try strategies.form(value) == expected)
    }

    @Test("escapes names and values, by RFC 3986 in a query, and in a form by WHATWG, or as a query if set so")
    func escaping() throws {
        let value: ParameterValue = ["a b&c": "x+y; z=~*"]
        #expect(try ParameterStrategies().query(value) == "a%20b%26c=x%2By%3B%20z%3D~%2A")
        #expect(try ParameterStrategies().form(value) == "a+b%26c=x%2By%3B+z%3D%7E*")
        #expect(try ParameterStrategies(space: .asPercent20).form(value) == "a%20b%26c=x%2By%3B%20z%3D~%2A")
    }

    @Test("refuses a value without a name", arguments: [["a"], true, 1, "x"] as [ParameterValue])
    func nameless(value: ParameterValue) {
        #expect(throws: RequestEncodingError.self) { try ParameterStrategies().query(value) }
        #expect(throws: RequestEncodingError.self) { try ParameterStrategies().form(value) }
    }

    @Test(
        "reads items as browsers do",
        arguments: [
            ("", []), ("a=b&c=d", [.init("a", "b"), .init("c", "d")]),
            ("a&b=", [.init("a", ""), .init("b", "")]), ("=x&=", [.init("", "x"), .init("", "")]),
            ("&&a=b=c&", [.init("a", "b=c")]), ("a+b=%2B%zz", [.init("a b", "+%zz")]),
            ("%E4%BD%A0=%F0%9F%98%80", [.init("你", "😀")]),
        ] as [(String, [TransportRequest.Item])]
    )
    func parsing(text: String, expected: [TransportRequest.Item]) {
        #expect(TransportRequest.Item.all(of: text) == expected)
    }

    @Test("reads back the items it wrote, for random Unicode", arguments: 0..<20)
    func roundTrip(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let items = (0..<30).map { _ in TransportRequest.Item(random.text(), random.text()) }
        #expect(TransportRequest.Item.all(of: items.serialized(as: .component)) == items)
        #expect(TransportRequest.Item.all(of: items.serialized(as: .form)) == items)
    }

    @available(*, deprecated, message: "deprecated, as the names that it tries")
    @Test("keeps the ancestor's names of the strategies")
    func legacyNames() {
        #expect(URLQueryBoolEncodingDefaultStartegy.asBool == ParameterStrategies.BoolEncoding.asBool)
        #expect(URLQueryArrayKeyEncodingBracketsStartegy.noBrackets == ParameterStrategies.ArrayEncoding.noBrackets)
        #expect(
            URLQueryDictionaryKeyEncodingDefaultStrategy.brackets == ParameterStrategies.DictionaryEncoding.brackets
        )
    }
}
