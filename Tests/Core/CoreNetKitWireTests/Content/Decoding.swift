import CoreNetKitWire
import Foundation

/// Decodes in pieces of the test's choice, as a reader does.
struct Decoding {
    var limits = ExpansionGuard.Limits(ratio: 100, total: 1 << 32)
    /// Whether the reader limits the content itself.
    var isLimited = false
    /// The room for each step.
    var room = 7

    static func codings(_ fields: String...) -> ContentCodings {
        var codings = ContentCodings()
        for field in fields { Array(field.utf8).withUnsafeBytes { codings.add(0..<$0.count, of: $0) } }
        return codings
    }

    /// All of the content, or what was thrown; the most that was made between two checks counts as held.
    func decode(_ field: String, _ pieces: [ArraySlice<UInt8>]) throws(BodyDecoder.Fault) -> [UInt8] {
        let decoder = try BodyDecoder(Decoding.codings(field), limits: limits, isLimited: isLimited)
        var content: [UInt8] = []
        var place = [UInt8](repeating: 0, count: room)
        for piece in pieces {
            var rest = piece
            while true {
                let made = try step(decoder, &rest, &place)
                content += place.prefix(made)
                if made < room { break }
            }
        }
        try decoder.finish()
        return content
    }

    private func step(
        _ decoder: BodyDecoder,
        _ rest: inout ArraySlice<UInt8>,
        _ place: inout [UInt8]
    ) throws(BodyDecoder.Fault) -> Int {
        let outcome = rest.withUnsafeBytes { bytes in
            place.withUnsafeMutableBytes { place -> Result<(Int, Int), BodyDecoder.Fault> in
                var input = bytes
                do throws(BodyDecoder.Fault) {
                    let made = try decoder.decode(&input, into: place)
                    return .success((made, bytes.count - input.count))
                } catch {
                    return .failure(error)
                }
            }
        }
        let (made, taken) = try outcome.get()
        rest = rest.dropFirst(taken)
        return made
    }

    func outcome(_ field: String, _ pieces: [ArraySlice<UInt8>]) -> Result<String, BodyDecoder.Fault> {
        do throws(BodyDecoder.Fault) {
            return .success(String(decoding: try decode(field, pieces), as: UTF8.self))
        } catch {
            return .failure(error)
        }
    }

    func outcome(_ field: String, _ bytes: [UInt8]) -> Result<String, BodyDecoder.Fault> {
        outcome(field, [bytes[...]])
    }
}
