public import CoreNetKitChain
public import CoreNetKitOutbox
import CoreNetKitSystem

/// A service that registers a user on this device.
public protocol PushMember: Sendable {
    /// Distinguishes the member from others, and is the same in each version of the app; members that share a name are
    /// numbered in the order in which they were given to the identity.
    var memberName: String { get }

    /// Stores that a user's registration on this device must be undone; sends nothing, and is repeated after an error.
    func unregister(_ user: String) throws

    /// Stores that a user must be registered on this device, unless the user is; sends nothing, and is repeated after an
    /// error.
    func register(_ user: String) throws

    /// Sends the pending requests of a user; what it throws was not sent, and stays pending.
    func sendPending(_ user: String) async throws

    /// The former name of ``unregister(_:)``.
    @available(*, deprecated, renamed: "unregister(_:)")
    func leave(_ user: String) throws

    /// The former name of ``sendPending(_:)``.
    @available(*, deprecated, renamed: "sendPending(_:)")
    func settle(_ user: String) async throws

    /// The former name of ``register(_:)``.
    @available(*, deprecated, renamed: "register(_:)")
    func join(_ user: String) throws
}

/// Manages which user is registered on this device: login, logout and switch in one place.
///
/// Each change is stored before anything is sent, so that it survives the end of the process and a missing network. The
/// identity is also the partition of clients whose calls belong to the user: change it before the tokens.
///
/// ```swift
/// let identity = PushIdentity(store: store, members: [push, kore])
/// let client = Client().set(partition: identity)
/// identity.login("alice")
/// ```
public final class PushIdentity: PartitionProvider, Sendable {
    /// The registered user and the users to unregister.
    public struct State: Sendable, Hashable {
        /// The signed-in user; `nil` if there is none.
        public let user: String?
        /// Users who have signed out and whose registration must still be undone, the oldest first.
        public let pendingSignOuts: [String]
    }

    let registrar: PushRegistrar<IdentityRecord>
    private typealias NamedMember = (name: String, service: any PushMember)

    private let members: [NamedMember]
    /// Held while a change is stored and the members are notified, so that members see changes in order.
    let notifying = Locked(())

    /// Creates an identity; nothing is read or sent yet.
    ///
    /// Call ``flush()`` at launch, before any other use of the services.
    /// - Parameters:
    ///   - store: Where the registered user is stored.
    ///   - members: The services.
    ///   - outbox: Completes pending sign-outs whenever it delivers, also after restarts; `nil` leaves that to
    ///     ``flush()``.
    public init(store: any KeyValueStore, members: [any PushMember], outbox: Outbox? = nil) {
        let members = Self.named(members)
        self.members = members
        let key = "PushIdentity.v1"
        registrar = PushRegistrar(
            store: store,
            key: key,
            load: { try IdentityRecord.load(key, from: $0) },
            save: { new, _, store in try new.save(key, to: store) },
            outbox: outbox,
            request: { $0.request($1) },
            deliver: { try await Self.sendPending($0, members) }
        )
        // Members are notified of sign-outs first, in case an earlier process ended before that.
        registrar.assignJob { [weak self] in
            let flushed: Observer<Void>? = self?.flush()
            try await flushed?.value
        }
    }

    /// Reads who is registered on this device; throws if the store cannot be read.
    public func state() throws -> State {
        let record = try registrar.record()
        return State(user: record.user, pendingSignOuts: record.pendingSignOuts.map(\.user))
    }

    /// The signed-in user as a partition; anonymous if the store cannot be read.
    public var partition: Partition { (try? registrar.record())?.user.map { Partition($0) } ?? .anonymous }

    /// Registers a user on this device, and unregisters the earlier one; ``flush()`` resends requests that fail.
    @discardableResult
    public func login(_ user: String) -> Observer<Void> { change { $0.signIn(user) } }

    /// Unregisters the user from this device; ``flush()`` resends requests that fail, if the user's session permits.
    @discardableResult
    public func logout() -> Observer<Void> { change { $0.signOut() } }

    /// Sends the pending requests of earlier changes; call it at launch, and when the network returns.
    @discardableResult
    public func flush() -> Observer<Void> { change { _ in } }

    private func change(_ body: (inout IdentityRecord) -> Void) -> Observer<Void> {
        let noted = Result {
            try notifying.withLock { _ in
                try registrar.change(body)
                return try note()
            }
        }
        return .work {
            let refusal = try noted.get()
            var first: (any Error)? = refusal
            // Sign-outs go first; one failure does not stop the others.
            do { try await self.registrar.flush() } catch { first = first ?? error }
            if let user = try self.registrar.record().user {
                for member in self.members {
                    do { try await member.service.sendPending(user) } catch { first = first ?? error }
                }
            }
            if let first { throw first }
        }
    }

    /// The members with unique names.
    ///
    /// All members that share a name get a number, including the first. So an entry with the shared name, stored by an
    /// older version, matches none of them, and they are notified again, which is harmless.
    private static func named(_ members: [any PushMember]) -> [NamedMember] {
        let counts = Dictionary(members.map { ($0.memberName, 1) }, uniquingKeysWith: +)
        var used = Set(counts.keys)
        return members.map { member in
            guard counts[member.memberName, default: 1] > 1 else { return (member.memberName, member) }
            var number = 1
            while !used.insert("\(member.memberName)#\(number)").inserted { number += 1 }
            return ("\(member.memberName)#\(number)", member)
        }
    }

    /// Sends the pending requests of a user who has signed out; one failure does not stop the others.
    private static func sendPending(_ entry: IdentityRecord.PendingSignOut, _ members: [NamedMember]) async throws {
        var first: (any Error)?
        for member in members {
            do {
                // A member that was not notified yet has nothing to send, but is not finished.
                guard entry.notified.contains(member.name) else { throw NotNotified(member: member.name) }
                try await member.service.sendPending(entry.user)
            } catch let error as CancellationError {
                throw error
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    /// Notifies each member once; the result is stored, so that later calls do not repeat it.
    func note() throws -> (any Error)? {
        var first: (any Error)?
        let record = try registrar.record()
        for entry in record.pendingSignOuts {
            for member in members where !entry.notified.contains(member.name) {
                do {
                    try member.service.unregister(entry.user)
                    try registrar.change { $0.note(entry, member.name) }
                } catch {
                    first = first ?? error
                }
            }
        }
        if let user = record.user {
            for member in members {
                do { try member.service.register(user) } catch { first = first ?? error }
            }
        }
        return first
    }
}

/// A member could not be notified that a user has signed out; it is retried.
private struct NotNotified: Error, CustomStringConvertible {
    let member: String

    var description: String { "\(member) was not notified yet that the user has left" }
}

extension SignOut.Kind {
    /// Registrations of a user on this device.
    public static let registrations = SignOut.Kind("registrations")
}

extension PushIdentity: SessionDataOwner {
    /// The kind of data: registrations.
    public var kind: SignOut.Kind { .registrations }

    /// Unregisters the session's user from this device, and waits until all members have finished.
    ///
    /// The user is identified by the name given to ``login(_:)``, which must be one of those that the session's
    /// partition names. Another user who has signed in here meanwhile stays registered.
    /// - Parameter session: The session that has ended.
    /// - Throws: The error of a request that was not sent; it stays stored, and is sent by ``flush()`` or by the outbox.
    public func removeData(of session: Partition.Session) async throws {
        let user = session.partition
        let refusal = try notifying.withLock { _ in
            try registrar.change { record in
                if let present = record.user, user.names(present) { record.signOut() }
            }
            return try note()
        }
        // The error of notifying a member is more specific than the error of the flush.
        do { try await registrar.flush { user.names($0) } } catch { throw refusal ?? error }
    }
}
