#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Foundation
    import os
#endif

/// Where the stories of calls go.
public protocol LogSink: Sendable {
    /// Takes the story of one call, at its end, on whatever thread ended it; must not block for long.
    func write(_ story: CallStory)
}

/// Writes each story to standard error in one piece.
public struct StandardErrorSink: LogSink {
    /// Creates the sink.
    public init() {}

    /// Writes the story and a line break.
    public func write(_ story: CallStory) {
        writeToStandardError("\(story)\n")
    }
}

/// One write, so that stories of parallel calls do not mix.
private func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Hands each story to a closure, for tests and for loggers of one's own.
public struct ClosureSink: LogSink {
    private let body: @Sendable (CallStory) -> Void

    /// Creates the sink.
    public init(_ body: @escaping @Sendable (CallStory) -> Void) { self.body = body }

    /// Calls the closure.
    public func write(_ story: CallStory) { body(story) }
}

#if canImport(os)
    /// Writes each story to the unified log, failures as errors.
    public struct SystemLogSink: LogSink {
        private let logger: Logger

        /// Creates the sink.
        ///
        /// - Parameters:
        ///   - subsystem: The subsystem to file under.
        ///   - category: The category to file under.
        public init(subsystem: String = "CoreNetKit", category: String = "network") {
            logger = Logger(subsystem: subsystem, category: category)
        }

        /// Writes the story; secrets are already left out, so it is public.
        public func write(_ story: CallStory) {
            if case .failed = story.outcome {
                logger.error("\(story.description, privacy: .public)")
            } else {
                logger.info("\(story.description, privacy: .public)")
            }
        }
    }
#endif

extension LogSink where Self == StandardErrorSink {
    /// Standard error.
    public static var standardError: StandardErrorSink { StandardErrorSink() }
}
