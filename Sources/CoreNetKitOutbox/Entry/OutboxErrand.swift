import CoreNetKitEssentials
import CoreNetKitSystem

/// Something that is to be done until it is done, without a request of its own: a name, and who knows how.
///
/// For work whose state is kept elsewhere, such as a registration of this device. The outbox keeps that the errand is due,
/// when it is tried next and how it ended; what is sent is asked for at its turn, and so is never older than the state.
/// There is one entry for a name at most, however often it is asked for.
public struct OutboxErrand: Sendable {
    /// What came of an attempt.
    public enum Outcome: Hashable, Sendable {
        /// Nothing is left to do.
        case done
        /// Nobody was reached: again after a short wait, and no attempt.
        case unreachable(String)
        /// It may succeed later: again after a wait that grows; what the server asked for counts when it is more.
        case later(String, after: Duration? = nil)
        /// It would fail again: kept until somebody decides, or asks for the errand anew.
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
    ///   - isDue: Whether there is anything to do; asked once when the outbox delivers, so that work of before it was known
    ///     becomes an entry. Throws where that cannot be told now; `nil` when whoever knew is gone.
    ///   - carryOut: Does the work, at the errand's turn; `nil` when whoever knew how is gone.
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
