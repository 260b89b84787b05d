import CoreNetKitHTTP

#if os(Linux)
    import CNetCodings

    /// Decodes the codings of one content, however it is cut, and knows whether it is complete; one user at a time.
    ///
    /// Its memory is its libraries' windows: 32 KiB for gzip and deflate, 8 MiB for zstd, 16 MiB for br.
    package final class BodyDecoder {
        package enum Fault: Error, Sendable, Equatable {
            /// The bytes are not valid in this coding, or do not match its checksum or length.
            case damaged(ContentCoding)
            /// The bytes ended before the content.
            case truncated(ContentCoding)
            /// An unknown coding, or one whose library is missing; or more codings than ``ContentCodings/limit``.
            case unknownCoding
            case tooLarge, noMemory
        }

        /// The coding that was applied last comes first.
        private let stages: [DecoderStage]
        private let expansion: ExpansionGuard
        /// Whether the caller limits the content itself.
        private let isLimited: Bool
        /// Bytes from the wire that the first stage has consumed.
        private var consumed: Int64 = 0

        /// With `isLimited`, the caller limits the content itself: then the ratio holds only between two codings.
        package init(_ codings: ContentCodings, limits expansion: ExpansionGuard, isLimited: Bool = false) throws(Fault)
        {
            guard !codings.isUnknown else { throw .unknownCoding }
            var stages: [DecoderStage] = []
            for coding in codings.decodingOrder { stages.append(try DecoderStage(coding, isFirst: stages.isEmpty)) }
            guard !stages.isEmpty else { throw .unknownCoding }
            self.stages = stages
            self.expansion = expansion
            self.isLimited = isLimited
        }

        package var produced: Int64 { stages.last?.produced ?? 0 }

        /// Decodes until the bytes or the room are used up; consumed bytes are cut off from the input.
        ///
        /// - Returns: How many bytes of content were decoded: fewer than the room if more are needed from the wire.
        /// - Throws: ``Fault``; afterwards the decoder cannot be used any more.
        package func decode(
            _ input: inout UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(Fault) -> Int {
            try pull(stages.count - 1, &input, into: output)
        }

        /// Ends decoding when the wire has ended and all of its bytes were decoded; throws if the content is incomplete.
        package func finish() throws(Fault) {
            if let stage = stages.first(where: \.isTruncated) { throw .truncated(stage.coding) }
        }

        private func pull(
            _ index: Int,
            _ input: inout UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(Fault) -> Int {
            let stage = stages[index]
            var produced = 0
            while produced < output.count {
                let room = UnsafeMutableRawBufferPointer(rebasing: output[produced...])
                let step: (consumed: Int, produced: Int)
                if index == 0 {
                    step = try stage.step(input, into: room)
                    consumed = consumed.saturatingAdd(Int64(step.consumed))
                    input = UnsafeRawBufferPointer(rebasing: input[step.consumed...])
                } else {
                    step = try stage.stepWaiting(into: room) { (place) throws(Fault) in
                        try pull(index - 1, &input, into: place)
                    }
                }
                produced += step.produced
                let isCallers = isLimited && index == stages.count - 1
                if expansion.refuses(stage.produced, from: isCallers ? nil : consumed) { throw .tooLarge }
                if step.consumed == 0, step.produced == 0 { break }
            }
            return produced
        }
    }

    final class DecoderStage {
        /// Output of the previous stage that was not consumed yet; empty in the first stage.
        private let inbox: UnsafeMutableRawBufferPointer
        private var waiting = 0..<0

        let coding: ContentCoding
        private(set) var produced: Int64 = 0
        private var hasBegun = false
        private var isAtEnd = false
        private let decoder: UnsafeMutableRawPointer

        init(_ coding: ContentCoding, isFirst: Bool) throws(BodyDecoder.Fault) {
            self.coding = coding
            inbox = isFirst ? .init(start: nil, count: 0) : .allocate(byteCount: 16 << 10, alignment: 16)
            guard let decoder = cnd_open(Int32(coding.rawValue)) else {
                throw ContentCoding.available.contains(coding) ? .noMemory : .unknownCoding
            }
            self.decoder = decoder
        }

        deinit {
            inbox.deallocate()
            cnd_close(decoder)
        }

        /// Whether something is missing; no bytes at all are complete, as in a response without content.
        var isTruncated: Bool { hasBegun && !isAtEnd }

        func step(
            _ input: UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) throws(BodyDecoder.Fault) -> (consumed: Int, produced: Int) {
            var (consumed, count) = (input.count, output.count)
            let result = cnd_step(decoder, input.baseAddress, &consumed, output.baseAddress, &count)
            if consumed > 0 { hasBegun = true }
            produced += Int64(count)
            switch Int(result) {
            case CND_MORE: isAtEnd = false
            case CND_END: isAtEnd = true
            case CND_NO_MEMORY: throw .noMemory
            default: throw .damaged(coding)
            }
            return (consumed, count)
        }

        /// Decodes waiting bytes; `refill` provides new ones if there are none.
        func stepWaiting(
            into output: UnsafeMutableRawBufferPointer,
            refill: (UnsafeMutableRawBufferPointer) throws(BodyDecoder.Fault) -> Int
        ) throws(BodyDecoder.Fault) -> (consumed: Int, produced: Int) {
            if waiting.isEmpty { waiting = 0..<(try refill(inbox)) }
            let step = try step(UnsafeRawBufferPointer(rebasing: inbox[waiting]), into: output)
            waiting = (waiting.lowerBound + step.consumed)..<waiting.upperBound
            return step
        }
    }
#endif

/// The guard against content that is small on the wire and huge in memory.
package struct ExpansionGuard: Sendable {
    /// The first MiB is free.
    package static let free: Int64 = 1 << 20

    private let ratio: Int64
    private let total: Int64

    /// One byte from the wire may become `ratio` bytes.
    package init(ratio: Int, total: Int64) {
        self.ratio = Int64(max(1, ratio))
        self.total = max(0, total)
    }

    /// Whether this is too much content for so many bytes from the wire; `nil` if the ratio does not count.
    package func refuses(_ content: Int64, from wire: Int64?) -> Bool {
        if content > total { return true }
        guard let wire, content > ExpansionGuard.free else { return false }
        return content > wire.saturatingMultiply(ratio)
    }
}
