import CoreNetKitEssentials
import CoreNetKitSystem
import CoreNetKitWire
import Foundation
import TestPace
import Testing

/// `SOCKET_ROUNDS=1000000 swift test --filter SocketFuzzTests` plays more of them.
@Suite("Frames of WebSocket, by chance", .timeLimit(.minutes(60)), .paced)
struct SocketFuzzTests {
    private static let rounds = ProcessInfo.processInfo.environment["SOCKET_ROUNDS"].flatMap(Int.init) ?? 4000

    /// Some messages in fragments, with control frames between, and what a reader makes of them.
    private func conversation(_ random: inout SplitMix64) -> (frames: [SocketFrame], events: [SocketReader.Event]) {
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
            let size = Int.random(in: 0...(Int.random(in: 0..<30, using: &random) == 0 ? 70_000 : 300), using: &random)
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

    @Test("come through whole and in order, in pieces of any size", arguments: [1, 2] as [UInt64])
    func whole(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<Self.rounds / 20 {
            let (frames, events) = conversation(&random)
            let role: SocketRole = Bool.random(using: &random) ? .client : .server
            let mask = role == .server ? SocketMask(word: UInt32.random(in: 0 ... .max, using: &random)) : nil
            let reading = FrameReading(pieces(Data(frames: frames, mask: mask), &random), role)
            if reading != FrameReading(events) { Issue.record("seed \(seed): \(reading)") }
        }
    }

    @Test(
        "with wrong bytes in them trap nowhere, and are the same wherever they are cut",
        arguments: [3, 4] as [UInt64]
    )
    func damaged(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for round in 0..<Self.rounds {
            var bytes: Data
            if round % 2 == 0 {
                bytes = Data(
                    (0..<Int.random(in: 0...40, using: &random)).map { _ in .random(in: 0...255, using: &random) }
                )
                if let first = bytes.indices.first { bytes[first] &= 0xCF }
            } else {
                bytes = Data(Data(frames: conversation(&random).frames).prefix(4000))
                for _ in 0..<3 where !bytes.isEmpty {
                    let place = Int.random(in: 0..<min(bytes.count, 40), using: &random)
                    bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                }
            }
            let deflate = Bool.random(using: &random) && MessageDeflater.isAvailable ? DeflateAgreement() : nil
            let whole = FrameReading([bytes], limit: 5000, deflate: deflate)
            let cut = FrameReading(pieces(bytes, &random), limit: 5000, deflate: deflate)
            if whole != cut { Issue.record("seed \(seed), round \(round): \(whole), cut \(cut)") }
        }
    }
}
