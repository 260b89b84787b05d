#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Foundation
    import os
#endif

/// One write, so that the trees of parallel calls do not mix.
private func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Where log trees are written.
public struct LogOutput: Sendable {
    let write: @Sendable (LogTree) -> Void

    /// A closure of one's own, for tests and for other loggers.
    public init(_ write: @escaping @Sendable (LogTree) -> Void) { self.write = write }

    /// Standard error, each tree in one piece.
    public static let standardError = LogOutput { tree in
        writeToStandardError("\(tree)\n")
    }

    #if canImport(os)
        /// The unified log, failures as errors.
        ///
        /// - Parameters:
        ///   - subsystem: The subsystem to file under.
        ///   - category: The category to file under.
        /// - Returns: The output.
        public static func system(subsystem: String = "CoreNetKit", category: String = "network") -> LogOutput {
            let logger = Logger(subsystem: subsystem, category: category)
            return LogOutput { tree in
                // Secrets are out already, so it is public.
                if case .failed = tree.outcome {
                    logger.error("\(tree.description, privacy: .public)")
                } else {
                    logger.info("\(tree.description, privacy: .public)")
                }
            }
        }
    #endif

    /// The unified log on Apple platforms, standard error elsewhere.
    public static var platform: LogOutput {
        #if canImport(os)
            .system()
        #else
            .standardError
        #endif
    }
}
