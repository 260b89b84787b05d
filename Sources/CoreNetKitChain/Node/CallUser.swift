/// Who began a call, so that nobody else's credentials finish it.
package struct CallUser: Sendable {
    /// In which login the call began.
    package let session: Partition.Session
    private let current: (@Sendable () -> Partition.Session)?

    /// Nobody in particular, for as long as the call lasts.
    package init() {
        session = Partition.Session(of: .anonymous)
        current = nil
    }

    /// Whoever is signed in now.
    package init(_ current: @escaping @Sendable () -> Partition.Session) {
        session = current()
        self.current = current
    }

    /// Whether the session has ended since: by a logout, or by another login.
    ///
    /// Asked before something is sent or kept, never when a response comes: a call may itself be the login.
    package var hasChanged: Bool { current.map { $0() != session } ?? false }

    /// Ends a call that would go on with another login's credentials.
    ///
    /// - Parameter stage: The node that found out; its name takes some thousand instructions to make.
    /// - Throws: ``NetworkError`` with code `userChanged`.
    package func requireUnchanged(at stage: @autoclosure () -> NodeID) throws {
        guard hasChanged else { return }
        var failure = NetworkError(
            .userChanged,
            "the user who began the call has signed out since, or somebody else has signed in",
            stage: stage()
        )
        failure.isSafeToResend = true
        throw failure
    }
}
