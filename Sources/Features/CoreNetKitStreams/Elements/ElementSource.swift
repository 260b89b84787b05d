import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

final class ElementSource: Sendable {
    private struct State: Sendable {
        var content: StreamedResponse?
        var parser: any JsonPieceParser
        var isFinished = false
        var skipped = 0
    }

    let node: NodeID = "ElementsNode"
    let response: FailedResponse
    private let clock: CallClock
    private let state: Locked<State>

    init(_ response: StreamedResponse, parser: any JsonPieceParser, clock: CallClock) {
        (self.response, self.clock) = (response.failed, clock)
        state = Locked(State(content: response, parser: parser))
    }

    /// The reader has stopped: if it did so after the last piece, the content was read completely.
    deinit {
        let (content, parser) = state.withLock { ($0.content.take(), $0.parser) }
        guard let content else { return }
        let rest = Locked(parser)
        let isRest: @Sendable (Data) -> Bool = { chunk in rest.withLock { $0.hasNoPiece(in: chunk) } }
        guard isRest(Data()) else { return content.close() }
        if rest.withLock(\.isOver) { content.finish(on: clock) } else { content.drain(on: clock, while: isRest) }
    }

    var skipped: Int { state.withLock(\.skipped) }
    var rest: Data? { state.withLock { $0.parser.rest } }

    func noteSkipped() { state.withLock { $0.skipped += 1 } }

    /// Ends the transfer; a waiting reader gets the end.
    func close() {
        let (content, isOver) = state.withLock { state in
            state.isFinished = true
            return (state.content.take(), state.parser.isOver)
        }
        if isOver { content?.finish(on: clock) } else { content?.close() }
    }

    func ready() throws -> JsonPiece? { try parse { parser throws(StreamError) in try parser.next() } }

    /// The next piece; `nil` at the end of the content.
    func next() async throws -> JsonPiece? {
        while true {
            if let piece = try ready() { return piece }
            guard let stream = state.withLock({ $0.isFinished ? nil : $0.content?.stream }) else { return nil }
            var chunks = stream.makeAsyncIterator()
            do {
                if let chunk = try await chunks.next() {
                    state.withLock { $0.parser.feed(chunk) }
                    continue
                }
            } catch {
                if !(error is CancellationError) { close() }
                throw NetworkError.wrapping(error, node: node) ?? error
            }
            // Closed in the meantime: nothing is missing.
            let isClosed = state.withLock { state in
                state.content = nil
                return state.isFinished
            }
            if isClosed { return nil }
            defer { close() }
            return try parse { parser throws(StreamError) in try parser.finish() }
        }
    }

    private func parse(_ step: (inout any JsonPieceParser) throws(StreamError) -> JsonPiece?) throws -> JsonPiece? {
        do throws(StreamError) {
            return try state.withLock { state throws(StreamError) in
                state.isFinished ? nil : try step(&state.parser)
            }
        } catch {
            close()
            throw NetworkError.stream(error, node: node, response: response)
        }
    }
}
