public import CoreNetKitEssentials

// Names of 0.2, each with a fix-it.

extension LoopbackServer {
    /// The former name of ``unusedPortURL()``.
    @available(*, deprecated, renamed: "unusedPortURL()")
    public static func refusedURL() throws -> URL { try unusedPortURL() }
}
