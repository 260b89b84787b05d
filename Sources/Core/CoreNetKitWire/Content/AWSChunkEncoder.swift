import CoreNetKitEssentials
package import CoreNetKitHTTP
package import CoreNetKitSystem

/// The coding `aws-chunked` of S3: chunks of 64 KiB, then a checksum of all content, which need not be known before.
///
/// - SeeAlso: [Trailing headers](https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html)
package struct AWSChunkEncoder: Sendable {
    /// Signs each chunk after the one before it.
    package struct Signatures: Sendable {
        /// The time of the request, and for what the key is valid: the second and third line of each signed text.
        let scope: String
        var last: String
        let sign: @Sendable (String) -> String

        /// The seed is the signature of the request.
        package init(scope: String, seed: String, sign: @escaping @Sendable (String) -> String) {
            (self.scope, last, self.sign) = (scope, seed, sign)
        }

        mutating func next(_ kind: String, _ text: String) -> String {
            last = sign("AWS4-HMAC-SHA256-\(kind)\n\(scope)\n\(last)\n\(text)")
            return last
        }
    }

    private static let size: Int64 = 64 << 10

    private let field: String
    private var checksum: any RunningHash
    private var signatures: Signatures?

    /// Without signatures, TLS protects the chunks.
    package init(_ field: String, _ checksum: any RunningHash, _ signatures: Signatures?) {
        (self.field, self.checksum, self.signatures) = (field, checksum, signatures)
    }

    /// The coded form of a chunk; without bytes that of the end.
    private mutating func encode(_ piece: Data) -> Data {
        checksum.update(piece)
        var lines = String(piece.count, radix: 16)
        if let signature = signatures?.next("PAYLOAD", "\(Self.hash(Data()))\n\(Self.hash(piece))") {
            lines += ";chunk-signature=\(signature)"
        }
        if piece.isEmpty {
            let trailer = "\(field):\(Data(checksum.digest).base64EncodedString())"
            lines += "\r\n" + trailer
            if let signature = signatures?.next("TRAILER", Self.hash(Data("\(trailer)\n".utf8))) {
                lines += "\r\nx-amz-trailer-signature:\(signature)"
            }
        }
        return Data("\(lines)\r\n".utf8) + piece + Data("\r\n".utf8)
    }

    private static func hash(_ bytes: Data) -> String { Hex.encode(SHA256.digest(bytes)) }

    package func encoding(_ body: RequestBody, of length: Int64) -> RequestBody {
        guard case .stream(_, let isReplayable, let open, let trailers) = body.content else { return body }
        let (count, rest) = length.quotientAndRemainder(dividingBy: Self.size)
        let frame = { (bytes: Int64) in bytes + Int64(String(bytes, radix: 16).count) + (signatures == nil ? 4 : 85) }
        var end = self
        let coded = count * frame(Self.size) + (rest == 0 ? 0 : frame(rest)) + Int64(end.encode(Data()).count)
        return .init(
            content: .stream(
                length: coded,
                isReplayable: isReplayable,
                open: { Self.pieces(open(), self) },
                trailers: trailers
            )
        )
    }

    private static func pieces(
        _ content: some AsyncSequence<Data, any Error>,
        _ encoder: Self
    ) -> any AsyncSequence<Data, any Error> {
        Pieces(content: content, encoder: encoder)
    }

    private struct Pieces<Content: AsyncSequence>: AsyncSequence
    where Content.Element == Data, Content.Failure == any Error {
        let content: Content
        let encoder: AWSChunkEncoder

        func makeAsyncIterator() -> Iterator { Iterator(content: content.makeAsyncIterator(), encoder: encoder) }

        struct Iterator: AsyncIteratorProtocol {
            var content: Content.AsyncIterator
            var encoder: AWSChunkEncoder
            var pending = Data()
            var isComplete = false
            var isEnded = false

            mutating func next() async throws -> Data? {
                if isEnded { return nil }
                while !isComplete, pending.count < size {
                    if let more = try await content.next() { pending.append(more) } else { isComplete = true }
                }
                let piece = pending.prefix(Int(size))
                pending = pending.dropFirst(piece.count)
                isEnded = piece.isEmpty
                return encoder.encode(piece)
            }
        }
    }
}
