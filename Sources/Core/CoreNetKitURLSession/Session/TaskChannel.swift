#if !canImport(FoundationNetworking)
    import Foundation

    /// `URLSessionWebSocketTask` as a channel of messages.
    final class TaskChannel: MessageChannel {
        private let task: URLSessionWebSocketTask
        private let engine: SessionEngine

        init(_ task: URLSessionWebSocketTask, _ engine: SessionEngine) {
            (self.task, self.engine) = (task, engine)
            // The reader has its own limit; the platform's default would be 1 MiB.
            task.maximumMessageSize = .max
        }

        func send(_ message: ChannelMessage) async throws {
            switch message {
            case .text(let text): try await task.send(.string(text))
            case .data(let data): try await task.send(.data(data))
            }
        }

        func receive() async throws -> ChannelMessage {
            switch try await task.receive() {
            case .string(let text): return .text(text)
            case .data(let data): return .data(data)
            @unknown default: throw URLError(.cannotDecodeRawData)
            }
        }

        /// An unanswered ping may never be reported, or with an error: the keep-alive detects silence instead.
        func ping(_ ponged: @escaping @Sendable () -> Void) {
            task.sendPing { error in if error == nil { ponged() } }
        }

        func close(_ code: UInt16, _ reason: Data) {
            task.cancel(with: .init(rawValue: Int(code)) ?? .normalClosure, reason: reason)
        }

        var closed: (code: UInt16, reason: Data)? {
            let code = task.closeCode
            guard code != .invalid, let number = UInt16(exactly: code.rawValue) else { return nil }
            return (number, task.closeReason ?? Data())
        }

        func cut() { engine.cancel(task) }
    }
#endif
