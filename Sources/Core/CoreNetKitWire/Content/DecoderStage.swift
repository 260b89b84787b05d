#if os(Linux)
    import CNetCodings
#endif

/// The decoder of one coding.
final class DecoderStage {
    /// Output of the previous stage that was not consumed yet; empty in the first stage.
    private let inbox: UnsafeMutableRawBufferPointer
    private var waiting = 0..<0

    let coding: ContentCoding
    /// Bytes that this stage has decoded.
    private(set) var made: Int64 = 0
    private var hasBegun = false
    private var isAtEnd = false
    private let decoder: UnsafeMutableRawPointer

    /// - Throws: ``BodyDecoder/Fault`` if there is no library or no memory.
    init(_ coding: ContentCoding, isFirst: Bool) throws(BodyDecoder.Fault) {
        self.coding = coding
        inbox = isFirst ? .init(start: nil, count: 0) : .allocate(byteCount: 16 << 10, alignment: 16)
        #if os(Linux)
            guard let decoder = cnd_open(coding.number) else {
                throw ContentCoding.available.contains(coding) ? .noMemory : .unknownCoding
            }
            self.decoder = decoder
        #else
            throw .unknownCoding
        #endif
    }

    deinit {
        inbox.deallocate()
        #if os(Linux)
            cnd_close(decoder)
        #endif
    }

    /// Whether something is missing; no bytes at all are complete, as in a response without content.
    var isCut: Bool { hasBegun && !isAtEnd }

    /// Decodes while there are bytes and room.
    ///
    /// - Returns: How many bytes were consumed and decoded.
    func step(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(BodyDecoder.Fault) -> (taken: Int, made: Int) {
        #if os(Linux)
            var (taken, count) = (input.count, output.count)
            let result = cnd_step(decoder, input.baseAddress, &taken, output.baseAddress, &count)
            if taken > 0 { hasBegun = true }
            made += Int64(count)
            switch Int(result) {
            case CND_MORE: isAtEnd = false
            case CND_END: isAtEnd = true
            case CND_NO_MEMORY: throw .noMemory
            default: throw .damaged(coding)
            }
            return (taken, count)
        #else
            throw .unknownCoding
        #endif
    }

    /// Decodes waiting bytes; `refill` provides new ones if there are none.
    ///
    /// - Returns: How many bytes were consumed and decoded.
    func stepWaiting(
        into output: UnsafeMutableRawBufferPointer,
        refill: (UnsafeMutableRawBufferPointer) throws(BodyDecoder.Fault) -> Int
    ) throws(BodyDecoder.Fault) -> (taken: Int, made: Int) {
        if waiting.isEmpty { waiting = 0..<(try refill(inbox)) }
        let step = try step(UnsafeRawBufferPointer(rebasing: inbox[waiting]), into: output)
        waiting = (waiting.lowerBound + step.taken)..<waiting.upperBound
        return step
    }
}
