import CoreNetKitHTTP
import CoreNetKitSystem

import CoreNetKitEssentials

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
        self.reply = reply
        self.monitor = monitor
        self.requireTime = requireTime
        self.stall = stall
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

    func collect(limit: Int) async throws -> Data {
        var collected = Data()
        while let chunk = try await next() {
            guard collected.count + chunk.count <= limit else { throw TransportError.tooLarge(limit: limit) }
            collected.append(chunk)
        }
        return collected
    }

    /// Reads to the end and keeps nothing.
    func drop() async throws -> Data {
        while try await next() != nil {}
        return Data()
    }

    /// Writes in one step, so that content that breaks leaves no file.
    func write(to url: URL) async throws -> URL {
        let data = try await collect(limit: .max)
        do {
            try data.write(to: url, options: .atomic)
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
