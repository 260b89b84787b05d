import CoreNetKitHTTP
import CoreNetKitSystem
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Chunks between the session and their one reader; over 1 MiB they are queued in a file, so that memory stays bounded.
final class ChunkQueue: ResponseSink, Sendable {
    private static let memoryLimit = 1 << 20
    private static let readSize = 256 << 10
    /// How far a reader may fall behind before the exchange fails, to protect the disk.
    private static let spoolLimit: Int64 = 4 << 30

    private struct State {
        var count: ContentCount
        var memory = Fifo<Data>()
        var memoryCount = 0
        var spool: DescriptorFile?
        var spooled: Int64 = 0
        var unspooled: Int64 = 0
        var isPaused = false
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
    }

    private let state: Locked<State>
    private let exchange: SessionExchange

    init(head: SessionResponseHead, exchange: SessionExchange) {
        state = Locked(State(count: ContentCount(head)))
        self.exchange = exchange
    }

    func receive(_ data: Data) throws(TransportError) {
        guard !data.isEmpty else { return }
        let reader = try state.withLock { state throws(TransportError) in
            try state.count.add(data)
            let reader = state.reader.take()
            if reader == nil { try keep(data, in: &state) }
            return reader
        }
        reader?.resume(returning: data)
    }

    private func keep(_ data: Data, in state: inout State) throws(TransportError) {
        guard state.spooled > 0 || state.memoryCount >= Self.memoryLimit else {
            state.memory.append(data)
            state.memoryCount += data.count
            return
        }
        if !state.isPaused { setPaused(true, &state) }
        guard state.spooled - state.unspooled < Self.spoolLimit else {
            throw TransportError(.responseTooLarge, phase: .receive, message: "the reader is 4 GiB behind the server")
        }
        do {
            if state.spool == nil { state.spool = try DescriptorFile.unnamed() }
            try state.spool?.append(data)
            state.spooled += Int64(data.count)
        } catch {
            throw TransportError(.fileFailed, phase: .receive, message: "no room for unread content: \(error.reason)")
        }
    }

    func finish() -> ResponseBody {
        end(.success(()))
        return .bytes(Data())
    }

    func abort(_ error: any Error) { end(.failure(error)) }

    private func end(_ result: Result<Void, any Error>) {
        let reader = state.withLock { state in
            guard state.end == nil else { return CheckedContinuation<Data?, any Error>?.none }
            state.end = result
            // The reader has stopped; a reader of failed content first gets the received bytes.
            if case .failure(let error) = result, error is CancellationError {
                (state.memory, state.spool, state.spooled) = (Fifo(), nil, 0)
            }
            return state.reader.take()
        }
        reader?.resume(with: result.map { nil })
    }

    func next() async throws -> Data? {
        if Task.isCancelled {
            cancel()
            throw CancellationError()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (reader: CheckedContinuation<Data?, any Error>) in
                let next = state.withLock { state in
                    let next = take(from: &state)
                    if next == nil { state.reader = reader }
                    return next
                }
                if let next { reader.resume(with: next) }
            }
        } onCancel: {
            cancel()
        }
    }

    func cancel() {
        end(.failure(CancellationError()))
        exchange.engine.queue.async { [exchange] in exchange.cancel() }
    }

    /// The reader's next result; `nil` if it has to wait.
    private func take(from state: inout State) -> Result<Data?, any Error>? {
        defer {
            if state.isPaused, state.spooled == 0, state.memoryCount < Self.memoryLimit / 2 { setPaused(false, &state) }
        }
        if let data = state.memory.popFirst() {
            state.memoryCount -= data.count
            return .success(data)
        }
        if let spool = state.spool, state.unspooled < state.spooled {
            let count = min(Int64(Self.readSize), state.spooled - state.unspooled)
            do {
                let data = try spool.read(at: state.unspooled, count: Int(count))
                state.unspooled += count
                if state.unspooled == state.spooled {
                    try spool.clear()
                    (state.spooled, state.unspooled) = (0, 0)
                }
                return .success(data)
            } catch {
                let message = "unread content is lost: \(error.reason)"
                return .failure(TransportError(.fileFailed, phase: .receive, message: message))
            }
        }
        return state.end.map { end in end.map { nil } }
    }

    /// Asks the platform to pause or resume reading from the connection.
    ///
    /// On Linux a suspended task loses its connection and starts again, so there the chunks go to a file instead.
    private func setPaused(_ isPaused: Bool, _ state: inout State) {
        state.isPaused = isPaused
        #if !canImport(FoundationNetworking)
            exchange.engine.queue.async { [exchange] in exchange.setSuspended(isPaused) }
        #endif
    }
}

extension SessionExchange {
    #if canImport(FoundationNetworking)
        var isSuspended: Bool { false }
    #else
        var isSuspended: Bool { task?.state == .suspended }

        func setSuspended(_ isSuspended: Bool) {
            guard stage == .receiving, let task, (task.state == .suspended) != isSuspended else { return }
            if isSuspended { task.suspend() } else { task.resume() }
            times.activity = .now
            timer?.schedule()
        }
    #endif
}
