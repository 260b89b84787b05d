// Work that a call begins beside itself: a shared exchange, a refresh, a second request, a wait for a time. Unlike a
// plain `Task`, it runs where the task of the call prefers to run.
extension Task where Failure == Never {
    /// Begins work on the thread of its caller and leaves it at the first suspension: who does not suspend wakes nobody.
    ///
    /// Never under a lock: the work may need it. Older systems of Apple begin it on another thread.
    @discardableResult
    package static func here(_ work: @escaping @Sendable () async -> Success) -> Task {
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            return .immediate(executorPreference: preference, operation: work)
        }
        return Task(operation: work)
    }

    /// Begins work on another thread, or later on this one.
    package static func beside(_ work: @escaping @Sendable () async -> Success) -> Task {
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            return Task(executorPreference: preference, operation: work)
        }
        return Task(operation: work)
    }

    @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    private static var preference: (any TaskExecutor)? {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
    }
}
