import CoreNetKitHTTP

/// Decodes the codings of one content: bytes from the wire in, bytes of the content out, however they are cut.
///
/// It has no socket, clock, lock or task, uses no more memory than its libraries' windows (32 KiB for gzip and deflate,
/// 8 MiB for zstd, 16 MiB for br), and knows whether the content is complete. One user at a time.
package final class BodyDecoder {
    /// Why content cannot be decoded.
    package enum Fault: Error, Sendable, Equatable {
        /// The bytes are not valid in this coding, or do not match its checksum or length.
        case damaged(ContentCoding)
        /// The bytes ended before the content.
        case cut(ContentCoding)
        /// An unknown coding, or one whose library is missing; or more codings than ``ContentCodings/limit``.
        case unknownCoding
        /// The content expands beyond the limits.
        case expanded
        /// Out of memory.
        case noMemory
    }

    /// The coding that was applied last comes first.
    private let stages: [DecoderStage]
    private let expansion: ExpansionGuard
    /// Whether the caller limits the content itself.
    private let isLimited: Bool
    /// Bytes from the wire that the first stage has consumed.
    private var taken: Int64 = 0

    /// - Parameters:
    ///   - codings: The codings that the fields list, at least one.
    ///   - limits: How much the content may grow.
    ///   - isLimited: Whether the caller limits the content itself: then the ratio holds only between two codings.
    /// - Throws: ``Fault``.
    package init(
        _ codings: ContentCodings,
        limits: ExpansionGuard.Limits,
        isLimited: Bool = false
    ) throws(Fault) {
        guard !codings.isUnknown else { throw .unknownCoding }
        var stages: [DecoderStage] = []
        for coding in codings.undone { stages.append(try DecoderStage(coding, isFirst: stages.isEmpty)) }
        guard !stages.isEmpty else { throw .unknownCoding }
        self.stages = stages
        expansion = ExpansionGuard(limits)
        self.isLimited = isLimited
    }

    /// Bytes of the content so far.
    package var made: Int64 { stages.last?.made ?? 0 }

    /// Decodes until the bytes or the room are used up.
    ///
    /// - Parameters:
    ///   - input: The bytes from the wire; consumed bytes are cut off.
    ///   - output: Where the content goes.
    /// - Returns: How many bytes of content were decoded: fewer than the room if more are needed from the wire.
    /// - Throws: ``Fault``; afterwards the decoder cannot be used any more.
    package func decode(
        _ input: inout UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Fault) -> Int {
        try pull(stages.count - 1, &input, into: output)
    }

    /// Ends decoding; called when the wire has ended and all of its bytes were decoded.
    ///
    /// - Throws: ``Fault`` if the content is incomplete.
    package func finish() throws(Fault) {
        if let stage = stages.first(where: \.isCut) { throw .cut(stage.coding) }
    }

    private func pull(
        _ index: Int,
        _ input: inout UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Fault) -> Int {
        let stage = stages[index]
        var made = 0
        while made < output.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: output[made...])
            let step: (taken: Int, made: Int)
            if index == 0 {
                step = try stage.step(input, into: room)
                taken = taken.saturatingAdd(Int64(step.taken))
                input = UnsafeRawBufferPointer(rebasing: input[step.taken...])
            } else {
                step = try stage.stepWaiting(into: room) { (place) throws(Fault) in
                    try pull(index - 1, &input, into: place)
                }
            }
            made += step.made
            let isCallers = isLimited && index == stages.count - 1
            if expansion.refuses(stage.made, from: isCallers ? nil : taken) { throw .expanded }
            if step.taken == 0, step.made == 0 { break }
        }
        return made
    }
}
