#if os(Linux)
    import CoreNetKitWire
    import TestPace

    struct Coded: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: String
        let bytes: [UInt8]

        init(_ name: String, _ field: String, _ base64: String) {
            (testDescription, self.field) = (name, field)
            bytes = [UInt8](Data(base64Encoded: base64) ?? Data())
        }

        static let text = (0..<6).map { "\($0): the quick brown fox jumps over the lazy dog \($0 * $0) times; " }
            .joined()

        static let all: [Coded] = [
            Coded(
                "gzip",
                "gzip",
                "H4sIAAAAAAACAzOwUijJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLQJL5yRWVSqk5KcrGCiUZOamFlsrGJKmzxCmz4g0fSYw"
                    + "fcak6bOE6TMh0Z1mMI2mpGk0MoVpBAAmVK5OUgEAAA=="
            ),
            Coded(
                "zlib",
                "deflate",
                "eNozsFIoyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy0CS+ckVlUqpOSnKxgolGTmphZbKxiSps8Qps+INH0mMH3GpOmzhOkz"
                    + "IdGdZjCNpqRpNDKFaQQAz8Z1LA=="
            ),
            Coded(
                "raw deflate",
                "deflate",
                "M7BSKMlIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stAkvnJFZVKqTkpysYKJRk5qYWWysYkqbPEKbPiDR9JjB9xqTps4TpMyHR"
                    + "nWYwjaakaTQyhWkEAA=="
            ),
            Coded(
                "br",
                "br",
                "G1EBAI2UbuYieN4dkT7Af7Ydpq0kS44KewOZHNgxxasE2FYeQyaBhyy9ZEwTlbSnkbmIdr5UmEPAt/3HuBBsDzuqQUUjRKeK0VoQ"
                    + "MywB"
            ),
            Coded(
                "zstd",
                "zstd",
                "KLUv/QRo/QIAcgQRGHCtDgCwC/9i8iE/SgYAAKKIraV9qPqfL3+TI6R3zAXbBKCx3b/JEdKvJ32cqohGctSfT6zLp0buSC2LMwas"
                    + "0FmhH1YKIHAzDzOCe3HDvrK5L9vI7/3OhAgBkQHCVumB"
            ),
            Coded(
                "gzip, two members",
                "gzip",
                "H4sIAAAAAAACAzOwUijJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLQJL5yRWVSqk5KcrGCiUZOamFlsrGJKgDwByxUrLZAAA"
                    + "AB+LCAAAAAAAAgOVy8kNgCAUBcBWXgsgmKjVuCCi4lcWt+pNTCiA82RIgyEYq3wDXiNMCkc0/YLO0bVhpBtztLsHncr9vLbvg4E0"
                    + "RHpF3qvSE3mPlSnKvMhlih9Y++Nh7gAAAA=="
            ),
            Coded(
                "zstd, two frames",
                "zstd",
                "KLUv/QRY/QEARAMwOiB0aGUgcXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXJsYXp5IGRvZyAwIHRpbWVzOyAxAgDZyoQIQZEBudvw"
                    + "uii1L/0EWOUCAHQEb2cgMSB0aW1lczsgMjogdGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVybGF6eSBkb2cgNDM5NDE2NTI1"
                    + "IHRpbWVzOyAHAIMRdHhxYBh4ZWDuVg9VCKoMeWfHDg=="
            ),
            Coded(
                "gzip, then br",
                "gzip, br",
                "izSAH4sIAAAAAAACAzOwUijJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLQJL5yRWVSqk5KcrGCiUZOamFlsrGJKmzxCmz4g0"
                    + "fSYwfcak6bOE6TMh0Z1mMI2mpGk0MoVpBAAmVK5OUgEAAAM="
            ),
        ]

        static let gzip = all[0]
        static let zlib = all[1]
        static let br = all[3]
        static let zstd = all[4]
    }

    struct Decoding {
        var limits = ExpansionGuard(ratio: 100, total: 1 << 32)
        var isLimited = false
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
                place.withUnsafeMutableBytes { place in
                    var input = bytes
                    return Result { () throws(BodyDecoder.Fault) in
                        (try decoder.decode(&input, into: place), bytes.count - input.count)
                    }
                }
            }
            let (made, taken) = try outcome.get()
            rest = rest.dropFirst(taken)
            return made
        }

        func outcome(_ field: String, _ pieces: [ArraySlice<UInt8>]) -> Result<String, BodyDecoder.Fault> {
            Result { () throws(BodyDecoder.Fault) in String(decoding: try decode(field, pieces), as: UTF8.self) }
        }

        func outcome(_ field: String, _ bytes: [UInt8]) -> Result<String, BodyDecoder.Fault> {
            outcome(field, [bytes[...]])
        }
    }
#endif
