import CoreNetKitSystem
import CoreNetKitWire
import TestPace

/// `.ci/proofs socket-fuzz` plays more of them and others, under the address sanitizer.
@Suite("Random WebSocket frames", .timeLimit(.minutes(60)), .paced)
struct SocketFuzzTests {
    private static let rounds = TestRounds.count(1000)
    private static let seed = TestRounds.seed(0)

    /// Some messages in fragments, with control frames between, and what a reader makes of them.
    private func conversation(
        _ random: inout SplitMix64,
        largest: Int = 70_000
    ) -> (frames: [SocketFrame], events: [SocketReader.Event]) {
        var (frames, events): ([SocketFrame], [SocketReader.Event]) = ([], [])
        func control() {
            guard Int.random(in: 0..<3, using: &random) == 0 else { return }
            let content = Data((0..<Int.random(in: 0...125, using: &random)).map { UInt8($0) })
            let isPing = Bool.random(using: &random)
            frames.append(SocketFrame(isPing ? .ping : .pong, content))
            events.append(isPing ? .ping(content) : .pong(content))
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let isText = Bool.random(using: &random)
            let size = Int.random(in: 0...(Int.random(in: 0..<30, using: &random) == 0 ? largest : 300), using: &random)
            let text = String((0..<size / 2).map { _ in "aäö€😀z0".randomElement(using: &random) ?? "a" })
            let content = isText ? Data(text.utf8) : Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
            let places = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Int.random(in: 0...content.count, using: &random)
            }
            var start = 0
            for (index, end) in (places.sorted() + [content.count]).enumerated() {
                let opcode: SocketOpcode = index > 0 ? .continuation : isText ? .text : .binary
                frames.append(SocketFrame(opcode, Data(content[start..<end]), isFinal: index == places.count))
                start = end
                if index < places.count { control() }
            }
            events.append(.message(content, isText: isText))
            control()
        }
        return (frames, events)
    }

    private func pieces(_ bytes: Data, _ random: inout SplitMix64) -> [Data] {
        var (rest, pieces) = (bytes[...], [Data]())
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...(Bool.random(using: &random) ? 9 : 40_000), using: &random))
            pieces.append(Data(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    @Test("arrive whole and in order, in pieces of any size", arguments: [1, 2] as [UInt64])
    func whole(_ seed: UInt64) async {
        var random = SplitMix64(seed: Self.seed &+ seed)
        for round in 0..<Self.rounds / 20 {
            if round.isMultiple(of: 50) { await Task.yield() }
            let (frames, events) = conversation(&random)
            let role: SocketRole = Bool.random(using: &random) ? .client : .server
            let mask = role == .server ? SocketMask(word: UInt32.random(in: 0 ... .max, using: &random)) : nil
            let reading = FrameReading(pieces(Data(frames: frames, mask: mask), &random), role)
            if reading != FrameReading(events) { Issue.record("seed \(seed): \(reading)") }
        }
    }

    @Test(
        "with wrong bytes never trap, and give the same result wherever they are cut, even between all bytes",
        arguments: [3, 4, 5, 6] as [UInt64]
    )
    func damaged(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: Self.seed &+ seed)
        let deflater = MessageCodec.isAvailable ? DeflateAgreement().deflater(for: .server) : nil
        for round in 0..<Self.rounds / 4 {
            // Others have little time of their own: what they measure is not to be this.
            if round.isMultiple(of: 50) { await Task.yield() }
            let bytes = damagedBytes(round, deflater, &random)
            let isCompressed = round % 3 == 2 || Bool.random(using: &random)
            let deflate = isCompressed && MessageCodec.isAvailable ? DeflateAgreement() : nil
            let role: SocketRole = round.isMultiple(of: 8) ? .server : .client
            let whole = FrameReading([bytes], role, limit: 5000, deflate: deflate)
            var cuts = [pieces(bytes, &random), bytes.map { Data([$0]) }]
            if bytes.count < 200, round.isMultiple(of: 16) {
                cuts += bytes.indices.map { [bytes[..<$0], bytes[$0...]] }
            }
            for cut in cuts {
                let reading = FrameReading(cut, role, limit: 5000, deflate: deflate)
                if whole != reading {
                    Issue.record("seed \(seed), round \(round), \(cut.map(\.count)): \(whole), cut \(reading)")
                }
            }
        }
    }

    /// Bytes by chance, frames with wrong bits, or compressed messages with wrong bits.
    private func damagedBytes(_ round: Int, _ deflater: MessageCodec?, _ random: inout SplitMix64) -> Data {
        var bytes: Data
        switch round % 3 {
        case 0:
            let count = Int.random(in: 0...40, using: &random)
            bytes = Data((0..<count).map { _ in .random(in: 0...255, using: &random) })
            if let first = bytes.indices.first { bytes[first] &= 0xCF }
            return bytes
        case 1: bytes = Data(frames: conversation(&random, largest: 2000).frames)
        default:
            let frames = conversation(&random, largest: 2000).events.compactMap { event -> SocketFrame? in
                guard case .message(let content, let isText) = event, let small = deflater?.compress(content) else {
                    return nil
                }
                return SocketFrame(isText ? .text : .binary, small, isCompressed: true)
            }
            bytes = Data(frames: frames)
        }
        bytes = Data(bytes.prefix(4000))
        for _ in 0..<3 where !bytes.isEmpty {
            let place = Int.random(in: 0..<min(bytes.count, Bool.random(using: &random) ? 40 : 4000), using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
        return bytes
    }
}
