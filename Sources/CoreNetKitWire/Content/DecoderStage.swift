#if os(Linux)
    import CNetCodings
#endif

/// One coding that is being undone.
final class DecoderStage {
    /// What came of the stage before and was not taken yet; of the first stage it is empty.
    private let inbox: UnsafeMutableRawBufferPointer
    private var waiting = 0..<0

    let coding: ContentCoding
    /// Bytes of this stage's making.
    private(set) var made: Int64 = 0
    private var hasBegun = false
    private var isAtEnd = false
    private let decoder: UnsafeMutableRawPointer

    /// - Throws: ``BodyDecoder/Fault`` where there is no library or no memory.
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

    /// Whether something is missing; nothing at all is whole, as in a response without content.
    var isCut: Bool { hasBegun && !isAtEnd }

    /// Decodes as far as there are bytes and room.
    ///
    /// - Returns: How many bytes were taken and made.
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

    /// Decodes what waits, filled anew by `refill` where nothing does.
    ///
    /// - Returns: How many bytes were taken and made.
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
