import CoreNetKitStreams
import Foundation

/// The ways in which a reader may be handed the same bytes.
enum Cuts {
    /// Whole, byte by byte, in chunks of a few sizes, and cut once at every place of a short text.
    static func all(of bytes: [UInt8]) -> [[Data]] {
        var ways = [[Data(bytes)]]
        for size in [1, 2, 3, 7] { ways.append(chunks(bytes, of: size)) }
        if bytes.count <= 400 {
            for place in 0...bytes.count { ways.append([Data(bytes[..<place]), Data(bytes[place...])]) }
        }
        return ways
    }

    static func chunks(_ bytes: [UInt8], of size: Int) -> [Data] {
        stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}

/// What a reader gives, and how it ends.
struct Reading<Element: Equatable>: Equatable {
    var elements: [Element] = []
    var code: String?
}
