import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The content of one response, read chunk by chunk to its scripted end.
final class MockContent: Sendable {
    private let reply: MockResponse
    private let monitor: ExchangeMonitor?
    private let requireTime: @Sendable () throws -> Void
    private let stall: @Sendable () async throws -> Void
    /// The number of the next chunk, `nil` after the end.
    private let position = Locked<Int?>(0)

    init(
        _ reply: MockResponse,
        monitor: ExchangeMonitor? = nil,
        requireTime: @escaping @Sendable () throws -> Void = {},
        stall: @escaping @Sendable () async throws -> Void
    ) {
        (self.reply, self.monitor, self.requireTime, self.stall) = (reply, monitor, requireTime, stall)
        if let monitor, case .whole(let data) = reply.content {
            monitor.update { $0.bytesExpected = Int64(data.count) }
        }
    }

    func next() async throws -> Data? {
        while let number = position.withLock({ $0 }) {
            let found = try await chunk(number)
            try requireTime()
            guard let chunk = found else { break }
            position.withLock { $0 = number + 1 }
            monitor?.update { $0.bytesReceived += Int64(chunk.count) }
            if !chunk.isEmpty { return chunk }
        }
        let isFirst = position.withLock { position in
            defer { position = nil }
            return position != nil
        }
        guard isFirst else { return nil }
        switch reply.ending {
        case .failure(let error): throw error
        case .stall: try await stall()
        case .response: break
        }
        return nil
    }

    /// Delivers the content in the requested form; that of a refusal or a redirect may fail without an error.
    func deliver(
        as delivery: ResponseDelivery,
        after head: TransportResponse,
        stream: () -> ResponseStream
    ) async throws -> TransportResponse {
        var response = head
        let isSuccess = (200...299).contains(head.status)
        var collected = Data()
        do {
            switch delivery {
            case .stream: response.body = .stream(stream())
            case .file(let url) where isSuccess: response.body = .file(try await store(at: url))
            case .discard where isSuccess: while try await next() != nil {}
            case .collect, .file, .discard, .duplex:
                let limit = if case .collect(let limit) = delivery { limit } else { 64 << 20 }
                try await collect(limit: limit, into: &collected)
                response.body = .bytes(collected)
            }
            return response
        } catch let failure as TransportError {
            response.body = .bytes(collected)
            return try response.failing(failure)
        }
    }

    private func collect(limit: Int, into collected: inout Data) async throws {
        while let chunk = try await next() {
            guard collected.count + chunk.count <= limit else { throw TransportError.tooLarge(limit: limit) }
            collected.append(chunk)
        }
    }

    /// Writes the file in one step, so that broken content leaves none.
    private func store(at url: URL) async throws -> URL {
        var data = Data()
        try await collect(limit: .max, into: &data)
        do {
            try PosixFiles().replace(url, with: data, durability: nil)
        } catch {
            throw TransportError(.fileFailed, phase: .receive, message: "the file cannot be written: \(error)")
        }
        return url
    }

    private func chunk(_ number: Int) async throws -> Data? {
        switch reply.content {
        case .whole(let data): number == 0 ? data : nil
        case .chunks(let make): try await make(number)
        }
    }
}
