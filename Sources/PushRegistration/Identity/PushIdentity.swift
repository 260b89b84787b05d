public import CoreNetKit
public import CoreNetKitOutbox
import CoreNetKitSystem

/// A service in which a user is registered on this device.
public protocol PushMember: Sendable {
    /// What tells it from the other members, the same in each version of the app; members that share a name are numbered in
    /// the order in which an identity gets them.
    var memberName: String { get }

    /// Stores that a user's registration on this device is to be undone; nothing is sent.
    ///
    /// - Parameter user: The user.
    /// - Throws: What keeps it from being stored; it is tried again then.
    func leave(_ user: String) throws

    /// Stores that a user is to be registered on this device, where that is not so; nothing is sent.
    ///
    /// - Parameter user: The user.
    /// - Throws: What keeps it from being stored; it is tried again then.
    func join(_ user: String) throws

    /// Sends what is open of a user.
    ///
    /// - Parameter user: The user.
    /// - Throws: What was not sent, and stays open.
    func settle(_ user: String) async throws
}

/// Who is registered on this device, and whose registration is still to be undone: login, logout and switch in one place.
///
/// Each change is stored before anything is sent, so that it survives the process and a missing network. It is also the
/// partition of clients whose calls belong to the user: change it before the tokens.
///
/// ```swift
/// let identity = PushIdentity(store: store, members: [push, kore])
/// let client = Client().set(partition: identity)
/// identity.login("alice")
/// ```
public final class PushIdentity: PartitionProvider, Sendable {
    /// Who is registered on this device.
    public struct State: Sendable, Hashable {
        /// Who is signed in; `nil` for nobody.
        public let user: String?
        /// Users who were signed in and whose registration is still to be undone, the oldest first.
        public let leaving: [String]
    }

    let registrar: PushRegistrar<IdentityRecord>
    private let members: [NamedMember]
    /// Held while a change is stored and the members are told: nobody is told of an earlier change after a later one.
    let telling = Locked(())

    /// Creates an identity; nothing is read or sent yet.
    ///
    /// Call ``flush()`` at launch, before anything else of the services.
    ///
    /// - Parameters:
    ///   - store: Where it is kept who is registered.
    ///   - members: The services.
    ///   - outbox: What undoes by itself whatever is left, while it is delivered, over restarts too; `nil` leaves that to
    ///     ``flush()``.
    public init(store: any KeyValueStore, members: [any PushMember], outbox: Outbox? = nil) {
        let members = NamedMember.all(members)
        self.members = members
        let records = RecordStore(store: store, key: "PushIdentity.v1") { stored, _ in IdentityRecord(stored: stored) }
        registrar = PushRegistrar(
            store: store,
            key: records.key,
            storage: PushRegistrar.Storage(load: records.load) { new, _, store in try records.save(new, store) },
            outbox: outbox,
            request: { $0.request($1) },
            deliver: { try await Self.settle($0, members) }
        )
        // Who leaves is told to the members first, in case the process ended before that.
        registrar.serve { [weak self] in
            let flushed: Observer<Void>? = self?.flush()
            try await flushed?.value
        }
    }

    /// Who is registered on this device, as the store has it now.
    ///
    /// - Returns: The state.
    /// - Throws: Whatever keeps the store from being read.
    public func state() throws -> State {
        let record = try registrar.record()
        return State(user: record.user, leaving: record.leaving.map(\.user))
    }

    /// Who is signed in, as a partition; anonymous where the store cannot be read.
    public var partition: Partition { (try? registrar.record())?.user.map { Partition($0) } ?? .anonymous }

    /// Registers a user on this device; another one who was signed in is unregistered.
    ///
    /// - Parameter user: The user.
    /// - Returns: An observer of the requests; what fails is sent by ``flush()``.
    @discardableResult
    public func login(_ user: String) -> Observer<Void> { change { $0.signIn(user) } }

    /// Unregisters the user from this device.
    ///
    /// - Returns: An observer of the requests; what fails is sent by ``flush()``, the session of the user permitting.
    @discardableResult
    public func logout() -> Observer<Void> { change { $0.signOut() } }

    /// Sends what is left of earlier changes; at launch, and when the network is back.
    ///
    /// - Returns: An observer of the end, also when there is nothing to send.
    @discardableResult
    public func flush() -> Observer<Void> { change { _ in } }

    private func change(_ body: (inout IdentityRecord) -> Void) -> Observer<Void> {
        let noted = Result {
            try telling.withLock { _ in
                try registrar.change(body)
                return try note()
            }
        }
        return .work {
            let refusal = try noted.get()
            var first: (any Error)? = refusal
            // Who leaves goes first; nobody's failure keeps the others.
            do { try await self.registrar.flush() } catch { first = first ?? error }
            if let user = try self.registrar.record().user {
                for member in self.members {
                    do { try await member.service.settle(user) } catch { first = first ?? error }
                }
            }
            if let first { throw first }
        }
    }

    /// Sends what is open of who leaves; nobody's failure keeps the others.
    private static func settle(_ entry: IdentityRecord.Leaving, _ members: [NamedMember]) async throws {
        var first: (any Error)?
        for member in members {
            do {
                // Who does not know of it yet has nothing to send, and is not done.
                guard entry.told.contains(member.name) else { throw NotTold(member: member.name) }
                try await member.service.settle(entry.user)
            } catch let error as CancellationError {
                throw error
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    /// Hands the wishes to the members, each once; what comes of it is stored, so that a member is not told twice.
    func note() throws -> (any Error)? {
        var first: (any Error)?
        let record = try registrar.record()
        for entry in record.leaving {
            for member in members where !entry.told.contains(member.name) {
                do {
                    try member.service.leave(entry.user)
                    try registrar.change { $0.note(entry, member.name) }
                } catch {
                    first = first ?? error
                }
            }
        }
        if let user = record.user {
            for member in members {
                do { try member.service.join(user) } catch { first = first ?? error }
            }
        }
        return first
    }
}

/// A member could not be told that somebody has left; it is tried again.
private struct NotTold: Error, CustomStringConvertible {
    let member: String

    var description: String { "\(member) was not notified yet that the user has left" }
}
