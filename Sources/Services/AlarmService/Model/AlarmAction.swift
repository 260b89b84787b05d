public import CoreNetKit
import CoreNetKitHTTP

/// An action of a user on alarms: five actions, one endpoint.
public enum AlarmAction: Sendable, Hashable {
    /// Marks alarms as read.
    case read([Int])
    /// Marks all alarms as read.
    case readAll
    /// Deletes alarms.
    case delete([Int])
    /// Deletes all alarms.
    case deleteAll
    /// Stops future alarms of a type, from all senders or from one; existing ones stay.
    case disable(AlarmType, from: String? = nil)

    /// The name on the wire.
    public var name: String {
        switch self {
        case .read: "read"
        case .readAll: "read_all"
        case .delete: "delete"
        case .deleteAll: "delete_all"
        case .disable: "notification_disable"
        }
    }
}

extension AlarmAction: DTOEncodable {
    /// Encodes the action; throws ``AlarmError`` with `invalidRequest` if no alarm or no type is named.
    public func toDTO() throws -> AlarmActionEntry {
        var entry = AlarmActionEntry(action: name)
        switch self {
        case .read(let sequences), .delete(let sequences):
            guard !sequences.isEmpty, sequences.allSatisfy({ $0 > 0 }) else {
                throw AlarmError(.invalidRequest, "\(name) needs sequences greater than 0")
            }
            entry.seq = sequences.map(String.init).joined(separator: ",")
        case .disable(let type, let sender):
            guard !type.rawValue.isEmpty else { throw AlarmError(.invalidRequest, "\(name) needs a type") }
            entry.type = type.rawValue
            entry.fromId = sender
        case .readAll, .deleteAll: break
        }
        return entry
    }
}

extension AlarmAction {
    /// Whether the action also applies to alarms that arrive until it is executed.
    var coversWhatComes: Bool { self == .readAll || self == .deleteAll }

    init?(form: String) {
        let fields = Dictionary(TransportRequest.Item.all(of: form).map { ($0.name, $0.value) }) { _, last in last }
        let sequences = (fields["seq"] ?? "").split(separator: ",").compactMap { Int($0) }
        switch fields["action"] {
        case "read" where !sequences.isEmpty: self = .read(sequences)
        case "delete" where !sequences.isEmpty: self = .delete(sequences)
        case "read_all": self = .readAll
        case "delete_all": self = .deleteAll
        case "notification_disable": self = .disable(AlarmType(rawValue: fields["type"] ?? ""), from: fields["from_id"])
        default: return nil
        }
    }
}

/// The result of an action.
public struct AlarmActionResult: DTODecodable, Sendable, Hashable {
    /// How many alarms it changed; 0 if nothing was left to do.
    public let affected: Int
    /// The current number of unread alarms; `nil` if the server did not send it.
    public let unreadCount: Int?

    /// Creates a result.
    public init(affected: Int, unreadCount: Int?) {
        (self.affected, self.unreadCount) = (affected, unreadCount)
    }

    /// Creates the result.
    public static func from(dto: AlarmResultEntry) -> AlarmActionResult {
        AlarmActionResult(affected: dto.affected ?? 0, unreadCount: dto.unreadCount.map { max(0, $0) })
    }
}
