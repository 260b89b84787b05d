#if os(Linux)
    import CoreNetKitWire
    import TestPace

    @Suite("Wire: content is decoded", .timeLimit(.minutes(10)), .paced)
    struct BodyDecoderTests {
        private let decoding = Decoding()
        private static let none: [UInt8] = []

        @Test("to the same bytes, wherever it is cut in two", arguments: Coded.all)
        func splits(_ coded: Coded) {
            for cut in 0...coded.bytes.count {
                let pieces = [coded.bytes[..<cut], coded.bytes[cut...]]
                #expect(decoding.outcome(coded.field, pieces) == .success(Coded.text), "cut at \(cut)")
            }
        }

        @Test("byte by byte, with any room", arguments: Coded.all, [1, 2, 64, 4096])
        func bytes(_ coded: Coded, room: Int) {
            let pieces = coded.bytes.indices.map { coded.bytes[$0...$0] }
            #expect(Decoding(room: room).outcome(coded.field, pieces) == .success(Coded.text))
        }

        @Test("and is an error if it ends at any byte before its end", arguments: Coded.all)
        func ends(_ coded: Coded) {
            for count in 1..<coded.bytes.count {
                let outcome = decoding.outcome(coded.field, Array(coded.bytes.prefix(count)))
                // The end of a member, or of a frame, is an end.
                if case .success(let text) = outcome, coded.testDescription.contains("two"), text.utf8.count == 100 {
                    continue
                }
                guard case .failure(.truncated) = outcome else {
                    Issue.record("\(count) of \(coded.bytes.count) bytes: \(outcome)")
                    continue
                }
            }
        }

        @Test("and is empty if there is none, as in a response to HEAD", arguments: Coded.all)
        func empty(_ coded: Coded) { #expect(decoding.outcome(coded.field, Self.none) == .success("")) }

        @Test(
            "with the checksums of gzip, zlib and zstd and the length of gzip, each byte of them",
            arguments: [(Coded.gzip, 8), (.zlib, 4), (.zstd, 4)]
        )
        func checksums(_ coded: Coded, count: Int) {
            for place in 1...count {
                var bytes = coded.bytes
                bytes[bytes.count - place] ^= 1
                if case .failure(.damaged) = decoding.outcome(coded.field, bytes) { continue }
                Issue.record("a wrong checksum passed")
            }
        }

        @Test(
            "and zeros behind a gzip are padding, in whatever pieces; nothing may follow them",
            arguments: Coded.all.filter { $0.field.hasSuffix("gzip") },
            [1, 3, 511, 70_000]
        )
        func padding(_ coded: Coded, count: Int) {
            let zeros = [UInt8](repeating: 0, count: count)
            for cut in [0, 1, coded.bytes.count, coded.bytes.count + count / 2] {
                let bytes = coded.bytes + zeros
                #expect(decoding.outcome(coded.field, [bytes[..<cut], bytes[cut...]]) == .success(Coded.text))
                let more = bytes + coded.bytes
                let outcome = decoding.outcome(coded.field, [more[..<cut], more[cut...]])
                #expect(outcome == .failure(.damaged(.gzip)), "a member behind them")
            }
        }

        @Test("and nothing else may follow it", arguments: Coded.all)
        func behind(_ coded: Coded) throws {
            for tail: [UInt8] in [[0], [0x20], Array("garbage".utf8)] {
                if tail == [0], coded.field.hasSuffix("gzip") { continue }
                switch decoding.outcome(coded.field, coded.bytes + tail) {
                case .failure(.damaged): break
                // A member that begins with these bytes is none before its second one.
                case .failure(.truncated): #expect(tail.count == 1)
                case let other: Issue.record("\(tail): \(other)")
                }
                guard case .failure = decoding.outcome(coded.field, [coded.bytes[...], tail[...]]) else {
                    Issue.record("\(tail) passed as a piece of its own")
                    continue
                }
            }
        }

        @Test(
            "with other names and in other forms of the field",
            arguments: [
                "gzip", "x-gzip", "GZIP", " gzip ", "gzip,", ", gzip", "identity, gzip", "gzip\t", "gzip , identity",
            ]
        )
        func names(_ field: String) { #expect(decoding.outcome(field, Coded.gzip.bytes) == .success(Coded.text)) }

        @Test("in the order of several fields")
        func fields() {
            #expect(Decoding.codings("gzip", "br") == Decoding.codings("gzip, br"))
            #expect(Decoding.codings("gzip", "br") != Decoding.codings("br, gzip"))
            #expect(Decoding.codings("identity").isEmpty && Decoding.codings("").isEmpty)
        }

        @Test(
            "unless a coding is unknown, or there are too many",
            arguments: ["compress", "gzip, x", "gz ip", "gzip;q=1", "gzip, gzip, gzip, gzip, gzip, gzip"]
        )
        func unknown(_ field: String) {
            #expect(decoding.outcome(field, Coded.gzip.bytes) == .failure(.unknownCoding))
            #expect(!Decoding.codings(field).isEmpty && !Decoding.codings(field).isDecodable)
        }

        @Test("where all of them are known, and there is one", arguments: Coded.all)
        func known(_ coded: Coded) {
            #expect(Decoding.codings(coded.field).isDecodable)
            #expect(!Decoding.codings("identity").isDecodable && !Decoding.codings(coded.field, "x").isDecodable)
        }

        @Test("all codings are offered if their libraries are there, in one order")
        func available() { #expect(ContentCoding.available.map(\.name) == ["deflate", "gzip", "br", "zstd"]) }
    }
#endif
