import TestSupport

@testable import CoreNetKitFleet

@Suite("RESP3", .timeLimit(.minutes(10)), .paced)
struct RESPTests {
    static let replies: [(String, RESPValue)] = [
        ("+OK\r\n", .text("OK")), ("+\r\n", .text("")), ("-ERR no\r\n", .error("ERR no")), (":0\r\n", .integer(0)),
        (":-9223372036854775808\r\n", .integer(.min)), (":+5\r\n", .integer(5)),
        ("$0\r\n\r\n", .bytes(Data())), ("$4\r\n\r\n\r\n\r\n", .bytes(Data("\r\n\r\n".utf8))),
        ("$-1\r\n", .null), ("*-1\r\n", .null), ("_\r\n", .null), ("#t\r\n", .text("t")), ("#f\r\n", .text("f")),
        (",1.5\r\n", .text("1.5")), (",-inf\r\n", .text("-inf")), (",nan\r\n", .text("nan")),
        (",1e3\r\n", .text("1e3")),
        ("(-349289032840923850932485094385\r\n", .text("-349289032840923850932485094385")),
        ("!5\r\nERR x\r\n", .error("ERR x")), ("=6\r\ntxt:ab\r\n", .bytes(Data("ab".utf8))),
        ("*0\r\n", .array([])), ("*2\r\n:1\r\n*1\r\n_\r\n", .array([.integer(1), .array([.null])])),
        ("~2\r\n+a\r\n+b\r\n", .array([.text("a"), .text("b")])),
        ("%1\r\n+a\r\n:1\r\n", .map([.text("a"), .integer(1)])), ("%0\r\n", .map([])),
        (">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n", .push([.text("invalidate"), .array([.bytes(Data("k".utf8))])])),
        ("|1\r\n+ttl\r\n:3\r\n:7\r\n", .integer(7)),
        ("*2\r\n|1\r\n+a\r\n*1\r\n:1\r\n:1\r\n|0\r\n:2\r\n", .array([.integer(1), .integer(2)])),
        (String(repeating: "*1\r\n", count: 8) + ":1\r\n", (0..<8).reduce(.integer(1)) { value, _ in .array([value]) }),
    ]

    @Test("replies are read correctly with every cut", arguments: replies)
    func reads(text: String, value: RESPValue) throws {
        let bytes = Array((text + ":42\r\n").utf8)
        for cut in 0...bytes.count {
            var reader = RESPReader()
            reader.append(bytes[..<cut])
            var found: [RESPValue] = []
            while let reply = try reader.next() { found.append(reply) }
            reader.append(bytes[cut...])
            while let reply = try reader.next() { found.append(reply) }
            #expect(found == [value, .integer(42)], "cut at \(cut)")
            #expect(!reader.isInside)
        }
    }

    @Test("replies that arrive byte by byte are read correctly")
    func bytewise() throws {
        var reader = RESPReader()
        let (found, fault) = Self.read(Self.replies.flatMap { Array($0.0.utf8) }, step: 1, by: &reader)
        #expect(found == Self.replies.map(\.1))
        #expect(fault == nil)
    }

    static let hostile: [(String, RESPError)] = [
        // Nine kinds, each with its neighbours.
        ("$3\r\nabcXY", .badEnd), ("$3\r\nabc\rX", .badEnd), ("$3\r\nabcd\r\n", .badEnd),
        ("$-2\r\n", .badLength), ("*-2\r\n", .badLength), ("$-1x\r\n", .badLength), ("%-1\r\n", .badLength),
        ("$99999999999\r\n", .badLength), ("$007\r\n", .badLength), ("$\r\n", .badLength), ("$+3\r\n", .badLength),
        ("$?\r\n", .badLength), ("*?\r\n", .badLength), ("*1e3\r\n", .badLength),
        ("$67108865\r\n", .tooLarge), ("$9999999999\r\n", .tooLarge),
        ("*1000001\r\n", .tooMany), ("%500001\r\n", .tooMany), ("*9999999999\r\n", .tooMany),
        ("*2\r\n*999999\r\n", .tooMany),
        (String(repeating: "*1\r\n", count: 9) + ":1\r\n", .tooDeep),
        (":12x\r\n", .badNumber), (":\r\n", .badNumber), (":9223372036854775808\r\n", .badNumber),
        (",abc\r\n", .badNumber), (",0x1p3\r\n", .badNumber), ("(12a\r\n", .badNumber), ("(-\r\n", .badNumber),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", .unknownKind(72)), ("\u{15}\u{3}\u{3}", .unknownKind(21)),
        ("\r\n", .unknownKind(13)), ("\n", .unknownKind(10)),
        ("+OK\n", .badLine), ("+a\rb\r\n", .badLine), ("_x\r\n", .badValue), ("#x\r\n", .badValue),
        ("=2\r\nab\r\n", .badValue), ("*1\r\n>1\r\n+a\r\n", .misplacedPush),
        ("+" + String(repeating: "a", count: 65_537), .badLine),
    ]

    @Test("invalid replies are refused at the first byte that shows it, and stay refused", arguments: hostile)
    func refuses(text: String, fault: RESPError) {
        for step in [1, 7, 100_000] {
            var reader = RESPReader()
            #expect(Self.read(Array(text.utf8), step: step, by: &reader).fault == fault)
            reader.append(Array("+OK\r\n".utf8))
            #expect(throws: fault) { try reader.next() }
        }
    }

    @Test("announced sizes take no memory, and replies beyond the limits are refused")
    func limits() throws {
        var reader = RESPReader(limits: RESPLimits(depth: 2, bytes: 100, elements: 10, line: 50))
        reader.append(Array("*10\r\n".utf8))
        #expect(try reader.next() == nil)
        for _ in 0..<9 { reader.append(Array("+aaaaaaaa\r\n".utf8)) }
        #expect(throws: RESPError.tooLarge) { try reader.next() }
        var whole = RESPReader(limits: RESPLimits(depth: 2, bytes: 100, elements: 10, line: 50))
        for _ in 0..<50 {
            whole.append(Array("$80\r\n\(String(repeating: "a", count: 80))\r\n".utf8))
            #expect(try whole.next() != nil, "the limit is of one reply")
        }
    }

    @Test("a large string that arrives in pieces is read once")
    func large() throws {
        var reader = RESPReader()
        let count = 8 << 20
        reader.append(Array("$\(count)\r\n".utf8))
        let piece = [UInt8](repeating: 7, count: 64 << 10)
        for _ in 0..<count / piece.count {
            reader.append(piece)
            #expect(try reader.next() == nil)
        }
        reader.append(Array("\r\n".utf8))
        #expect(try reader.next() == .bytes(Data(repeating: 7, count: count)))
    }

    /// `.ci/proofs resp` plays a million.
    private static let rounds = TestRounds.count(5_000)

    @Test("no bytes trap the reader, and cuts change nothing", arguments: 0..<8)
    func fuzz(seed: Int) async {
        var random = SplitMix64(seed: UInt64(seed))
        let seeds = Self.replies.map { Array($0.0.utf8) } + Self.hostile.map { Array($0.0.utf8.prefix(64)) }
        for round in 0..<Self.rounds / 8 {
            // Others have little time of their own: what they measure is not to be this.
            if round.isMultiple(of: 50) { await Task.yield() }
            var bytes = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes += seeds.randomElement(using: &random) ?? []
            }
            for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes[place] = Array("+-:_#,($!=*~%|>0123456789\r\n".utf8).randomElement(using: &random) ?? 0
                case 2: bytes.remove(at: place)
                default: bytes.insert(bytes[place], at: place)
                }
            }
            let results = [bytes.count, Int.random(in: 1...7, using: &random)].map { step in
                var reader = RESPReader(limits: RESPLimits(depth: 8, bytes: 4096, elements: 1000, line: 256))
                return Self.read(bytes, step: step, by: &reader)
            }
            #expect(results[0] == results[1], "\(bytes)")
        }
    }

    /// What is read of bytes that come in steps, and the fault at its end.
    private static func read(
        _ bytes: [UInt8],
        step: Int,
        by reader: inout RESPReader
    ) -> (found: [RESPValue], fault: RESPError?) {
        var found: [RESPValue] = []
        for start in stride(from: 0, to: bytes.count, by: max(1, step)) {
            reader.append(bytes[start..<min(start + max(1, step), bytes.count)])
            do throws(RESPError) {
                while let reply = try reader.next() { found.append(reply) }
            } catch {
                return (found, error)
            }
        }
        return (found, nil)
    }

    @Test("commands are arrays of bulk strings")
    func commands() throws {
        let command = RESPCommand(["SET", .text("schlüssel"), .bytes(Data([0, 13, 10, 255])), ""])
        let start = Data("*4\r\n$3\r\nSET\r\n$10\r\nschlüssel\r\n$4\r\n".utf8)
        #expect(command.bytes == start + Data([0, 13, 10, 255]) + Data("\r\n$0\r\n\r\n".utf8))
        var reader = RESPReader()
        reader.append(command.bytes)
        let parts = ["SET", "schlüssel"].map { RESPValue.bytes(Data($0.utf8)) }
        #expect(try reader.next() == .array(parts + [.bytes(Data([0, 13, 10, 255])), .bytes(Data())]))
    }

    @Test("maps and numbers are read by name")
    func values() {
        let map = RESPValue.map([.text("mode"), .bytes(Data("cluster".utf8)), .text("proto"), .integer(3)])
        #expect(map["mode"]?.string == "cluster")
        #expect(map["proto"]?.number == 3)
        #expect(map["other"] == nil)
        #expect(RESPValue.bytes(Data("17".utf8)).number == 17)
        #expect(RESPValue.bytes(Data([255])).string == nil)
    }
}
