import CoreNetKitEssentials
public import CoreNetKitHTTP
public import CoreNetKitLoopback
import CoreNetKitSystem

/// A mock server of an alarm list, for tests: pages by an exclusive cursor, five actions on one endpoint.
///
/// ```swift
/// let alarms = AlarmServer()
/// alarms.insert(["type": "F01", "from_nick": "kim", "message": "<kim> is live"])
/// let server = try LoopbackServer()
/// alarms.serve(on: server)     // GET /api/v1/notifications and POST /api/v1/notifications/action
/// ```
public final class AlarmServer: Sendable {
    /// An alarm on the server.
    public struct Item: Sendable, Hashable {
        /// The identity, growing with time.
        public let sequence: Int
        /// Whether it was read.
        public var isRead: Bool
        /// The members besides `seq` and `is_read`, by their names on the wire.
        public var members: [String: String]
    }

    /// A request and its response.
    public struct Exchange: Sendable, Hashable {
        /// `GET` or `POST`, and the path.
        public let request: String
        /// The parameters of query or form.
        public let parameters: [String: String]
        /// The status of the response, 0 for none.
        public let status: Int
    }

    /// A failure of one request; the request is not executed unless the fault says otherwise.
    public enum Fault: Sendable {
        /// A status with an error object.
        case status(Int, code: String = "failed")
        /// 429 with `Retry-After`.
        case rateLimited(seconds: Int)
        /// A page of HTML with status 200, as from a captive portal.
        case html
        /// Status 200 with an error object.
        case errorObject(code: String, message: String)
        /// Status 200 with this text.
        case text(String)
        /// No response.
        case stall
        /// The request is executed, and the response is delayed.
        case delay(Duration)
        /// The connection is reset.
        case reset
        /// The request is executed, but its response is lost.
        case lostResponse
    }

    fileprivate struct State: Sendable {
        var items: [Item] = []
        var lastSequence = 0
        /// Types, each with a sender or for all.
        var disabled: Set<[String?]> = []
        var exchanges: [Exchange] = []
        var pageFaults: [Fault] = []
        var actionFaults: [Fault] = []
    }

    private let base: String
    private let token: String?
    private let state = Locked(State())

    /// Creates a server without alarms, at the path before `/notifications`; without a (bearer) token all requests are accepted.
    public init(base: String = "/api/v1", token: String? = nil) {
        (self.base, self.token) = (base, token)
    }

    /// The alarms, newest first.
    public var items: [Item] { state.withLock { $0.items } }

    /// How many alarms are unread.
    public var unreadCount: Int { state.withLock { $0.items.count { !$0.isRead } } }

    /// The requests with their responses, in the order of their arrival.
    public var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// Adds a newer alarm with these members on the wire, of type `F00` if they have none; returns its sequence, `nil` if
    /// its type is disabled for its sender.
    @discardableResult
    public func insert(_ members: [String: String] = [:], isRead: Bool = false) -> Int? {
        state.withLock { state in
            let type = members["type"] ?? "F00"
            guard state.disabled.isDisjoint(with: [[type, nil], [type, members["from_id"]]]) else { return nil }
            state.lastSequence += 1
            let item = Item(
                sequence: state.lastSequence,
                isRead: isRead,
                members: members.merging(["type": type]) { own, _ in own }
            )
            state.items.insert(item, at: 0)
            return item.sequence
        }
    }

    /// Removes an alarm, like another device of the user.
    public func remove(_ sequence: Int) {
        state.withLock { $0.items.removeAll { $0.sequence == sequence } }
    }

    /// Makes the next actions fail, one fault each.
    public func failActions(_ faults: Fault...) { state.withLock { $0.actionFaults += faults } }

    /// Makes the next pages fail, one fault each.
    public func failPages(_ faults: Fault...) { state.withLock { $0.pageFaults += faults } }

    /// Handles the requests of a loopback server.
    public func serve(on server: LoopbackServer) {
        server.on(.get, "\(base)/notifications") { request in
            self.respond(request, request.query)
        }
        server.on(.post, "\(base)/notifications/action") { request in
            let type = request.headers["Content-Type"] ?? ""
            return self.respond(request, type.hasPrefix("application/x-www-form-urlencoded") ? request.form : [])
        }
    }

    private func respond(_ request: LoopbackRequest, _ items: [LoopbackRequest.Item]) -> LoopbackResponse {
        respond(method: request.method, path: request.path, headers: request.headers, parameters: Form.values(items))
    }

    /// Handles one request, with the items of query or form, for transports other than a loopback server.
    public func respond(
        method: HTTPMethod,
        path: String,
        headers: Headers,
        parameters: [String: String]
    ) -> LoopbackResponse {
        state.withLock { state in
            let isPage = method == .get && path == "\(base)/notifications"
            let isAction = method == .post && path == "\(base)/notifications/action"
            let fault = isPage ? state.pageFaults.popFirst() : isAction ? state.actionFaults.popFirst() : nil
            let reply: LoopbackResponse =
                if let refusal = fault?.refusal {
                    refusal
                } else if let token, headers["Authorization"] != "Bearer \(token)" {
                    .refused(401, "unauthorized")
                } else if isPage {
                    state.page(parameters)
                } else if isAction {
                    state.perform(parameters)
                } else {
                    .refused(404, "not_found")
                }
            let sent = fault?.changed(reply) ?? reply
            state.exchanges.append(
                Exchange(request: "\(method) \(path)", parameters: parameters, status: sent.statusSent)
            )
            return sent
        }
    }
}

extension AlarmServer.State {
    fileprivate func page(_ query: [String: String]) -> LoopbackResponse {
        let limit = min(max(query["limit"].flatMap { Int($0) } ?? 20, 1), 100)
        let before = query["before"].flatMap { Int($0) } ?? .max
        let older = items.filter { $0.sequence < before }
        let page = older.prefix(limit)
        let next = page.last.map { String($0.sequence) } ?? "null"
        let data = page.map(\.json).joined(separator: ",")
        return .json(
            #"{"result":1,"data":[\#(data)],"paging":{"has_more":\#(older.count > page.count),"next_before":\#(next)},"#
                + #""unread_count":\#(unread)}"#
        ).header("Cache-Control", "private, max-age=0")
    }

    fileprivate mutating func perform(_ form: [String: String]) -> LoopbackResponse {
        let sequences = Set((form["seq"] ?? "").split(separator: ",").compactMap { Int($0) })
        let old = items
        switch form["action"] {
        case "read":
            guard !sequences.isEmpty else { return .refused(422, "missing_seq") }
            guard sequences.isSubset(of: items.map(\.sequence)) else { return .refused(404, "alarm_not_found") }
            for index in items.indices where sequences.contains(items[index].sequence) { items[index].isRead = true }
        case "read_all":
            for index in items.indices { items[index].isRead = true }
        case "delete":
            guard !sequences.isEmpty else { return .refused(422, "missing_seq") }
            items.removeAll { sequences.contains($0.sequence) }
        case "delete_all":
            items = []
        case "notification_disable":
            guard let type = form["type"], !type.isEmpty else { return .refused(422, "missing_type") }
            let isNew = disabled.insert([type, form["from_id"]]).inserted
            return done(isNew ? 1 : 0)
        default:
            return .refused(400, "invalid_action")
        }
        return done(Set(old).subtracting(items).count)
    }

    private var unread: Int { items.count { !$0.isRead } }

    private func done(_ affected: Int) -> LoopbackResponse {
        .json(#"{"result":1,"affected":\#(affected),"unread_count":\#(unread)}"#)
    }
}

extension AlarmServer.Item {
    fileprivate var json: String {
        let texts = members.sorted { $0.key < $1.key }.map { #","\#($0.key)":\#(Self.quoted($0.value))"# }
        return #"{"seq":\#(sequence),"is_read":\#(isRead ? 1 : 0)\#(texts.joined())}"#
    }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: (try? encoder.encode(text)) ?? Data(), as: UTF8.self)
    }
}

extension AlarmServer.Fault {
    /// The response to a request that is not executed; `nil` if it is.
    fileprivate var refusal: LoopbackResponse? {
        switch self {
        case .status(let status, let code): .refused(status, code)
        case .rateLimited(let seconds): .refused(429, "rate_limited").header("Retry-After", String(seconds))
        case .html: .logInPage
        case .errorObject(let code, let message): .json(#"{"error":{"code":"\#(code)","message":"\#(message)"}}"#)
        case .text(let text): .json(text)
        case .stall: LoopbackResponse.ok.fault(.stall(.beforeStatus))
        case .reset: LoopbackResponse.ok.withConnectionReset
        case .delay, .lostResponse: nil
        }
    }

    /// The response to a request that was executed.
    fileprivate func changed(_ reply: LoopbackResponse) -> LoopbackResponse {
        switch self {
        case .delay(let time): reply.delayed(by: time)
        case .lostResponse: reply.withConnectionReset
        default: reply
        }
    }
}

extension LoopbackResponse {
    fileprivate static func refused(_ status: Int, _ code: String) -> LoopbackResponse {
        .json(#"{"error":{"code":"\#(code)","message":"the request was refused: \#(code)"}}"#, status: status)
    }
}
