public import CoreNetKitChain

// Names of before 1.0, each with a fix-it.

extension RecordingSink {
    /// The former name of ``RecordingSink/logTrees``.
    @available(*, deprecated, renamed: "logTrees")
    public var stories: [LogTree] { logTrees }

    /// The former name of ``RecordingSink/waitForLogTrees(_:)``.
    @available(*, deprecated, renamed: "waitForLogTrees(_:)")
    @discardableResult
    public func waitForStories(_ count: Int) async throws -> [LogTree] { try await waitForLogTrees(count) }
}
