// Tasks that a call starts beside itself: a shared exchange, a refresh, a second request, a timer. Unlike a plain `Task`,
// they run on the executor that the call's task prefers.
extension Task where Failure == Never {
    /// Starts work on the caller's thread until its first suspension, so that work that does not suspend wakes no other
    /// thread.
    ///
    /// Never call it under a lock that the work may need. Older Apple systems start the work on another thread.
    @discardableResult
    package static func startImmediately(_ work: @escaping @Sendable () async -> Success) -> Task {
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            return .immediate(executorPreference: preference, operation: work)
        }
        return Task(operation: work)
    }

    /// Starts work on another thread, or later on this one.
    package static func startSeparately(_ work: @escaping @Sendable () async -> Success) -> Task {
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            return Task(executorPreference: preference, operation: work)
        }
        return Task(operation: work)
    }

    /// Starts work that may outlive the call that begins it, such as the reader of a connection.
    ///
    /// It inherits none of the call's task-local values, neither its deadline nor objects that they would keep alive.
    @discardableResult
    package static func apart(_ work: @escaping @Sendable () async -> Success) -> Task {
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            return .immediateDetached(executorPreference: preference, operation: work)
        }
        return .detached(operation: work)
    }

    @available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    private static var preference: (any TaskExecutor)? {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
    }
}

extension Task where Success: Sendable, Failure == any Error {
    /// Starts work of a call that may throw, as `startImmediately` does; inlined, because generic code of another
    /// module costs metadata look-ups.
    @inlinable @inline(__always)
    package static func inside(_ work: @escaping @Sendable () async throws -> Success) -> Task {
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            let preference = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
            return .immediate(executorPreference: preference, operation: work)
        }
        return Task(operation: work)
    }
}
