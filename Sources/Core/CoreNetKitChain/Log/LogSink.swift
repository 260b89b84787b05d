import CoreNetKitSystem

#if canImport(os)
    import os
#endif

/// Receives the log trees of calls.
public protocol LogSink: Sendable {
    /// Receives the tree of one call after its end, one at a time and never on the path of a call.
    func write(_ tree: LogTree)
}

/// Writes each tree to standard error in one piece.
public struct StandardErrorSink: LogSink {
    /// Creates the sink.
    public init() {}

    /// Writes the tree and a line break.
    public func write(_ tree: LogTree) { writeToStandardError("\(tree)\n") }
}

/// One write, so that trees of parallel calls do not mix.
private func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Passes each tree to a closure, for tests and for other loggers.
public struct ClosureSink: LogSink {
    private let body: @Sendable (LogTree) -> Void

    /// Creates the sink.
    public init(_ body: @escaping @Sendable (LogTree) -> Void) { self.body = body }

    /// Calls the closure.
    public func write(_ tree: LogTree) { body(tree) }
}

#if canImport(os)
    /// Writes each tree to the unified log, failures as errors.
    public struct SystemLogSink: LogSink {
        private let logger: Logger

        /// Creates the sink.
        public init(subsystem: String = "CoreNetKit", category: String = "network") {
            logger = Logger(subsystem: subsystem, category: category)
        }

        /// Writes the tree; secrets are already removed, so it is public.
        public func write(_ tree: LogTree) {
            if case .failed = tree.outcome {
                logger.error("\(tree.description, privacy: .public)")
            } else {
                logger.info("\(tree.description, privacy: .public)")
            }
        }
    }
#endif

extension LogSink where Self == StandardErrorSink {
    /// Standard error.
    public static var standardError: StandardErrorSink { StandardErrorSink() }
}
