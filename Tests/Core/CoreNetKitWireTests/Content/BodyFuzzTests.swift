#if os(Linux)
    import CoreNetKitSystem
    import CoreNetKitWire
    import TestPace

    /// `.ci/proofs fuzz-transport` sets how many, and the seed.
    @Suite("Wire: damaged content", .timeLimit(.minutes(240)), .paced)
    struct BodyFuzzTests {
        private static let count = TestRounds.count(600)
        private static let seed = TestRounds.seed(20_261_123)
        private static let fields = ["gzip", "deflate", "br", "zstd", "gzip, br", "br, gzip", "zstd, deflate"]

        /// Valid content, damaged in up to four places; now and then as if it had another coding.
        private func content(_ random: inout SplitMix64) -> (field: String, bytes: [UInt8]) {
            let coded = Coded.all[Int.random(in: 0..<Coded.all.count, using: &random)]
            var bytes = coded.bytes
            for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, place + Int.random(in: 1...30, using: &random))
                switch Int.random(in: 0..<6, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.removeSubrange(place..<end)
                case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
                case 4: bytes.removeSubrange(place...)
                default: bytes += Coded.all[Int.random(in: 0..<Coded.all.count, using: &random)].bytes.prefix(40)
                }
            }
            let isOther = Int.random(in: 0..<8, using: &random) == 0
            return (isOther ? Self.fields.randomElement(using: &random) ?? "br" : coded.field, bytes)
        }

        @Test("is the same content, or an error, however it is cut and whatever room there is")
        func damaged() {
            var random = SplitMix64(seed: Self.seed)
            let limits = ExpansionGuard(ratio: .max, total: 4 << 20)
            var early = 0
            for round in 0..<Self.count * 2 {
                if round == Self.count / 5 { early = Self.resident }
                let (field, bytes) = content(&random)
                let cuts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    Int.random(in: 0...bytes.count, using: &random)
                }
                // Arrays of their own: the address sanitizer finds reads beyond them.
                var (start, pieces) = (0, [ArraySlice<UInt8>]())
                for cut in cuts.sorted() + [bytes.count] {
                    pieces.append(Array(bytes[start..<cut])[...])
                    start = cut
                }
                let room = [1, 7, 64, 4096, 65_536].randomElement(using: &random) ?? 7
                let whole = Decoding(limits: limits, room: 4096).outcome(field, bytes)
                let parts = Decoding(limits: limits, room: room).outcome(field, pieces)
                guard (try? whole.get()) != (try? parts.get()) else { continue }
                Issue.record("\(field) at \(cuts), room \(room), seed \(Self.seed): \(bytes): \(whole), \(parts)")
            }
            let late = Self.resident
            let resident = "resident \(early >> 10) kB after a tenth, \(late >> 10) kB at the end"
            print("fuzz: \(Self.count * 2) contents, \(resident)")
            if TestRounds.given != nil { #expect(late < early + 64 << 20) }
        }

        private static var resident: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        }
    }

    @Suite("Wire: expanding content", .timeLimit(.minutes(10)), .paced)
    struct ExpansionTests {
        /// Zeros in zstd, 32 768 for each byte: one block of 128 KiB after the other that says "the same again".
        private func zeros(blocks: Int) -> [UInt8] {
            var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58]
            for index in 0..<blocks {
                let header = (index == blocks - 1 ? 1 : 0) | 1 << 1 | (128 << 10) << 3
                frame += [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16), 0]
            }
            return frame
        }

        private func outcome(
            _ bytes: [UInt8],
            ratio: Int = 100,
            total: Int64 = 1 << 32,
            field: String = "zstd",
            isLimited: Bool = false
        ) -> String {
            let decoding = Decoding(limits: .init(ratio: ratio, total: total), isLimited: isLimited, room: 64 << 10)
            return switch decoding.outcome(field, bytes) {
            case .success(let text): "\(text.utf8.count)"
            case .failure(let fault): "\(fault)"
            }
        }

        @Test("beyond the ratio is refused after the first MiB, and the first MiB is free")
        func ratio() {
            #expect(outcome(zeros(blocks: 8)) == "\(1 << 20)")
            #expect(outcome(zeros(blocks: 9)) == "tooLarge")
            #expect(outcome(zeros(blocks: 9), ratio: 40_000) == "\(9 << 17)")
        }

        @Test("beyond the ratio is accepted where the reader limits the content, but never between two codings")
        func limited() {
            #expect(outcome(zeros(blocks: 9), isLimited: true) == "\(9 << 17)")
            #expect(outcome(zeros(blocks: 9), total: 1 << 20, isLimited: true) == "tooLarge")
            #expect(outcome(Self.members, field: "gzip, zstd", isLimited: true) == "tooLarge")
        }

        @Test("is measured by the bytes that it was made of, not by those that stand behind them")
        func consumed() {
            // A second frame that is one block of bytes as they are: with it, the whole grows less than tenfold.
            let size = 128 << 10
            let header = UInt32(size) << 3 | 1
            let plain: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58] + (0..<3).map { UInt8(header >> (8 * $0) & 255) }
            #expect(outcome(plain + [UInt8](repeating: 1, count: size)) == "\(size)")
            #expect(outcome(zeros(blocks: 9) + plain + [UInt8](repeating: 1, count: size)) == "tooLarge")
        }

        @Test("beyond the total limit is refused, whatever the ratio")
        func total() {
            #expect(outcome(zeros(blocks: 8), ratio: .max, total: 1 << 20) == "\(1 << 20)")
            #expect(outcome(zeros(blocks: 9), ratio: .max, total: 1 << 20) == "tooLarge")
        }

        @Test("inside a second coding is refused, even if its end is small")
        func between() {
            #expect(outcome(Self.members, ratio: .max, field: "gzip, zstd") == "0")
            #expect(outcome(Self.members, field: "gzip, zstd") == "tooLarge")
        }

        /// Two million bytes of empty members of gzip, in a few hundred of zstd.
        private static let members = Coded(
            "members",
            "gzip, zstd",
            "KLUv/QBo5AAAoB+LCAAAAAAAAAMDAAAAAAAAAAAAAQDS/y+fTFQAAAABAP3/9/+5BgJEAAAAAQD9/zkAAkQAAAABAP3/OQAC"
                + "RAAAAAEA/f85AAJEAAAAAQD9/zkAAkQAAAABAP3/OQACRAAAAAEA/f85AAJEAAAAAQD9/zkAAkQAAAABAP3/OQACRAAAAAEA"
                + "/f85AAJEAAAAAQD9/zkAAkQAAAABAP3/OQACRAAAAAEA/f85AAJEAAAAAQD9/zkAAkUAAAABAH0EHQAB"
        ).bytes

        @Test("accepts any limits and any numbers")
        func numbers() {
            let extremes: [Int64] = [.min, -1, 0, 1, 1 << 20, 1 << 20 + 1, 1 << 62, .max]
            for (ratio, total) in extremes.flatMap({ ratio in extremes.map { (ratio, $0) } }) {
                let expansion = ExpansionGuard(ratio: Int(ratio), total: total)
                for content in extremes where content >= 0 {
                    #expect(expansion.refuses(content, from: nil) == (content > max(0, total)))
                    for wire in extremes where wire >= 0 {
                        let refuses = expansion.refuses(content, from: wire)
                        if content == 0 { #expect(!refuses) }
                        if total > 0, content > total { #expect(refuses) }
                    }
                }
            }
        }

        @Test("with a window beyond 8 MiB is refused, as RFC 9659 requires for zstd")
        func window() {
            // A frame of one empty block that asks for 16 MiB.
            let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 14 << 3, 1, 0, 0]
            #expect(outcome(frame) == "damaged(CoreNetKitWire.ContentCoding.zstd)")
            #expect(outcome([0x28, 0xB5, 0x2F, 0xFD, 0x00, 13 << 3, 1, 0, 0]) == "0")
        }
    }
#endif
