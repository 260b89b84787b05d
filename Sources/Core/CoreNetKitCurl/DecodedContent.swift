#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire
    import CoreNetKitEssentials

    extension RawBytes {
        /// The maximum number of bytes decoded at once: cancellation is checked between two steps.
        fileprivate static let step = 64 << 10

        /// Room that is likely to be enough for `count` decoded bytes, within one step.
        fileprivate static func room(for count: Int) -> Int { min(max(count.saturatingMultiply(8), 2048), step) }

        /// Decodes at most `limit` bytes into `content`, as much as can be; the caller frees the memory of both.
        func decode(
            _ codings: ContentCodings,
            limits: ExpansionGuard,
            atMost limit: Int,
            into content: inout RawBytes
        ) throws {
            let decoder = try BodyDecoder(codings, limits: limits, isLimited: true)
            var input = buffer
            var room = RawBytes.room(for: count)
            while true {
                guard let place = content.room(of: room) else { throw BodyDecoder.Fault.noMemory }
                let made = try decoder.decode(&input, into: place)
                guard content.count + made <= limit else {
                    content.added(max(0, limit - content.count))
                    throw TransportError.tooLarge(limit: limit)
                }
                content.added(made)
                if made < room { break }
                room = RawBytes.step
                try Task.checkCancellation()
            }
            try decoder.finish()
        }
    }

    /// The content of a coded stream: its reader decodes it one step at a time, so that waiting bytes are coded and
    /// counted, and a slow reader stalls the server as usual.
    ///
    /// `@unchecked Sendable`: only the reader that has the turn changes it.
    final class DecodedContent: @unchecked Sendable {
        private struct Turn {
            var isTaken = false
            var waiting: [UnsafeContinuation<Void, Never>] = []
            var total: Int64?
        }

        private let transfer: Transfer
        private let turn = Locked(Turn())
        @exclusivity(unchecked) private var decoder: BodyDecoder?
        /// The bytes that came last from the wire, and how far they are decoded.
        @exclusivity(unchecked) private var chunk = Data()
        @exclusivity(unchecked) private var position = 0
        /// Whether there may be more content before more bytes are needed from the wire.
        @exclusivity(unchecked) private var hasMore = false
        @exclusivity(unchecked) private var failure: (any Error)?

        init(_ transfer: Transfer) { self.transfer = transfer }

        var ending: ResponseStream.Ending? {
            guard let total = turn.withLock(\.total) else { return nil }
            var ending = transfer.ending
            ending.timings.bytesDecoded = total
            return ending
        }

        /// The next piece of the content, 1 byte to 64 KiB; `nil` at its end.
        func next(_ fromWire: @Sendable () async throws -> Data?) async throws -> Data? {
            await takeTurn()
            defer { giveTurn() }
            if let failure { throw failure }
            do {
                while true {
                    if let content = try decode() { return content }
                    guard let bytes = try await fromWire() else { break }
                    if decoder == nil {
                        decoder = try BodyDecoder(transfer.outcome.codings, limits: transfer.parameters.expansion)
                    }
                    (chunk, position, hasMore) = (bytes, 0, true)
                }
                try decoder?.finish()
            } catch let fault as BodyDecoder.Fault {
                let error = CurlFailure.error(for: fault, transfer)
                failure = error
                throw error
            }
            let total = decoder?.produced ?? 0
            turn.withLock { $0.total = total }
            return nil
        }

        private func decode() throws -> Data? {
            guard hasMore, let decoder else { return nil }
            var content = RawBytes()
            // Also of what was taken: small content is copied.
            defer { content.free() }
            let room = RawBytes.room(for: chunk.count - position)
            guard let place = content.room(of: room) else { throw BodyDecoder.Fault.noMemory }
            let made = try chunk.withUnsafeBytes { bytes in
                var input = UnsafeRawBufferPointer(rebasing: bytes[position...])
                defer { position = bytes.count - input.count }
                return try decoder.decode(&input, into: place)
            }
            content.added(made)
            hasMore = made == room
            if !hasMore { (chunk, position) = (Data(), 0) }
            return made > 0 ? content.takeData() : nil
        }

        private func takeTurn() async {
            await withUnsafeContinuation { continuation in
                let isFree = turn.withLock { turn in
                    if turn.isTaken { turn.waiting.append(continuation) }
                    defer { turn.isTaken = true }
                    return !turn.isTaken
                }
                if isFree { continuation.resume() }
            }
        }

        private func giveTurn() {
            let next = turn.withLock { turn -> UnsafeContinuation<Void, Never>? in
                if !turn.waiting.isEmpty { return turn.waiting.removeFirst() }
                turn.isTaken = false
                return nil
            }
            next?.resume()
        }
    }
#endif
