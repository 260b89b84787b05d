public import CoreNetKit

/// A log sink that keeps the stories of calls for a test to look at.
public final class RecordingSink: LogSink {
    private let state = Watched<[CallStory]>([])

    /// Creates a sink without stories.
    public init() {}

    /// The stories in the order in which the calls ended.
    public var stories: [CallStory] { state.value }

    /// Keeps a story.
    public func write(_ story: CallStory) { state.update { $0.append(story) } }

    /// Waits until so many calls have ended.
    ///
    /// - Parameter count: The number of stories in all.
    /// - Returns: All stories so far.
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    @discardableResult
    public func waitForStories(_ count: Int) async throws -> [CallStory] {
        try await state.wait { $0.count >= count }
        return stories
    }
}
