import CoreNetKitEssentials
import CoreNetKitSystem

/// Work that is repeated until it succeeds, without a stored request: a name, and an object that carries it out.
///
/// For work whose state is kept elsewhere, such as a registration of this device. The outbox stores that the errand is
/// due, when it is tried next and how it ended; its request is created at its turn, and so is never older than the
/// state. There is at most one entry per name, however often the errand is requested.
public struct OutboxErrand: Sendable {
    /// What came of an attempt.
    public enum Outcome: Hashable, Sendable {
        /// Nothing is left to do.
        case done
        /// No server was reached: it is repeated after a short wait, and does not count as an attempt.
        case unreachable(String)
        /// It may succeed later: again after a wait that grows; what the server asked for counts when it is more.
        case later(String, after: Duration? = nil)
        /// It would fail again: kept until the app decides, or requests the errand again.
        case refused(String)
    }

    /// The name, the same in each process and version of the app.
    public let name: String
    let id = UUID()
    let isDue: @Sendable () throws -> Bool?
    let carryOut: @Sendable () async -> Outcome?

    /// Describes an errand; ``Outbox/assign(_:)`` makes it known.
    ///
    /// - Parameters:
    ///   - name: The name, 1 to 255 bytes.
    ///   - isDue: Whether there is anything to do; called once when the outbox starts to deliver, so that earlier work
    ///     becomes an entry. Throws if that is not known now; `nil` if its owner was released.
    ///   - carryOut: Does the work, at the errand's turn; `nil` if its owner was released.
    public init(
        _ name: String,
        isDue: @escaping @Sendable () throws -> Bool?,
        carryOut: @escaping @Sendable () async -> Outcome?
    ) {
        self.name = name
        self.isDue = isDue
        self.carryOut = carryOut
    }

    /// The id of the entry: that of the name, so that asking twice is asking once.
    static func entryID(_ name: String) -> UUID {
        var hash = SHA256()
        hash.update(Array("errand \(name)".utf8))
        let text = Hex.encode(hash.digest)
        let parts = [8, 4, 4, 4, 12]
        var rest = Substring(text)
        let groups = parts.map { count -> Substring in
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        return UUID(uuidString: groups.joined(separator: "-")) ?? UUID()
    }
}
