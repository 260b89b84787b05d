/// Who began a call, so that nobody else's credentials finish it.
package struct CallUser: Sendable {
    /// Whose call it is.
    package let partition: Partition
    private let current: (@Sendable () -> Partition)?

    /// Nobody in particular, for as long as the call lasts.
    package init() {
        partition = .anonymous
        current = nil
    }

    /// Whoever is signed in now.
    package init(_ current: @escaping @Sendable () -> Partition) {
        partition = current()
        self.current = current
    }

    /// Whether somebody else has signed in since, or the user has left.
    ///
    /// A login without a name may be the same user's: only two names are known to differ.
    package var hasChanged: Bool {
        guard partition.isStable, let now = current?() else { return false }
        return now.isStable && now != partition
    }

    /// Ends a call that would go on with another user's credentials.
    ///
    /// - Parameter stage: The node that found out; its name takes some thousand instructions to make.
    /// - Throws: ``NetworkError`` with code `userChanged`.
    package func requireUnchanged(at stage: @autoclosure () -> NodeID) throws {
        guard hasChanged else { return }
        var failure = NetworkError(.userChanged, "another user has signed in since the call began", stage: stage())
        failure.isSafeToResend = true
        throw failure
    }
}
