/// The user of a call, so that it is not finished with another user's credentials.
package struct CallUser: Sendable {
    /// The token refreshers that the running task works for: its calls must not wait for a refresh that waits for them.
    ///
    /// A task-local value, because a refresh runs the user's closure, which calls other chains: no value of the call that
    /// started it reaches them.
    @TaskLocal package static var refreshers: Set<ObjectIdentifier> = []

    /// The session in which the call began.
    package let session: Partition.Session
    private let source: SessionSource?

    /// The user who is signed in now; without a source no particular one, who never changes.
    package init(_ source: SessionSource? = nil) {
        session = source?.session ?? Partition.Session(of: .anonymous)
        self.source = source
    }

    /// Whether the session has ended since, by a logout or by another login.
    ///
    /// Checked before something is sent or stored, never when a response arrives, because the call itself may be the
    /// login.
    package var hasChanged: Bool { source.map { $0.session != session } ?? false }

    /// Fails a call that would continue with another login's credentials.
    package func requireUnchanged(at node: @autoclosure () -> NodeID) throws {
        if hasChanged { throw Self.changed(at: node()) }
    }

    /// The same, with a session that was just read: if its provider is the only source, it is not read again.
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
            "the user who began the call has signed out, or another user has signed in",
            node: node
        )
        failure.isSafeToResend = true
        return failure
    }
}

/// The source of the user of a chain's calls: all policies that know a user, combined.
package struct SessionSource: Sendable {
    private let providers: [any PartitionProvider]
    /// The only provider, if there is just one and it is an object.
    private let only: ObjectIdentifier?

    /// `nil` if no policy knows the user.
    init?(_ providers: [any PartitionProvider]) {
        guard let first = providers.first else { return nil }
        self.providers = providers
        let isAlone = providers.count == 1 && type(of: first) is AnyClass
        only = isAlone ? ObjectIdentifier(first as AnyObject) : nil
    }

    /// The session of calls that begin now.
    package var session: Partition.Session {
        providers.count == 1 ? providers[0].session : Partition.Session.combined(providers.map(\.session))
    }

    func isOnly(_ provider: any AnyObject & PartitionProvider) -> Bool { only == ObjectIdentifier(provider) }
}
