#if os(Linux)
    import CoreNetKitSystem
    import CoreNetKitWire
    import Foundation
    import TestPace
    import Testing

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
            let limits = ExpansionGuard.Limits(ratio: .max, total: 4 << 20)
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

        /// The process's resident memory in bytes.
        private static var resident: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        }
    }
#endif
