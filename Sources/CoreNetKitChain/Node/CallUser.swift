/// Who began a call, so that nobody else's credentials finish it.
package struct CallUser: Sendable {
    /// In which login the call began.
    package let session: Partition.Session
    private let source: SessionSource?

    /// Nobody in particular, for as long as the call lasts.
    package init() {
        session = Partition.Session(of: .anonymous)
        source = nil
    }

    /// Whoever is signed in now.
    package init(_ source: SessionSource) {
        session = source.session
        self.source = source
    }

    /// Whether the session has ended since: by a logout, or by another login.
    ///
    /// Asked before something is sent or kept, never when a response comes: a call may itself be the login.
    package var hasChanged: Bool { source.map { $0.session != session } ?? false }

    /// Ends a call that would go on with another login's credentials.
    ///
    /// - Parameter node: The node that found out; its name takes some thousand instructions to make.
    /// - Throws: ``NetworkError`` with code `userChanged`.
    package func requireUnchanged(at node: @autoclosure () -> NodeID) throws {
        if hasChanged { throw Self.changed(at: node()) }
    }

    /// The same where somebody has just said which session it is: who alone knows it is not asked again.
    ///
    /// - Parameters:
    ///   - current: The session, as the provider said.
    ///   - provider: Who said so.
    ///   - node: The node that found out.
    /// - Throws: ``NetworkError`` with code `userChanged`.
    package func requireUnchanged(
        _ current: Partition.Session,
        of provider: any AnyObject & PartitionProvider,
        at node: @autoclosure () -> NodeID
    ) throws {
        guard let source else { return }
        let isUnchanged = source.isOnly(provider) ? current == session : !hasChanged
        if !isUnchanged { throw Self.changed(at: node()) }
    }

    private static func changed(at node: NodeID) -> NetworkError {
        var failure = NetworkError(
            .userChanged,
            "the user who began the call has signed out since, or somebody else has signed in",
            node: node
        )
        failure.isSafeToResend = true
        return failure
    }
}
