public import CoreNetKitHTTP
public import CoreNetKitLoopback
import CoreNetKitSystem

/// A mock of IDPush for tests: registers and edits devices, and rejects requests as the real server does.
///
/// ```swift
/// let push = IDPushServer(projects: ["p1"])
/// let server = try LoopbackServer()
/// push.serve(on: server)     // POST /api/v1/device/add and /api/v1/device/edit/{player_id}
/// ```
public final class IDPushServer: Sendable {
    /// A device on the server.
    public struct Device: Sendable, Hashable {
        /// The id that the server assigned.
        public let playerID: String
        /// The project of the device.
        public let projectID: String
        /// The device token.
        public var identifier: String
        /// 1 subscribed, -2 opted out.
        public var notificationTypes: Int?
        /// The tags, values as text.
        public var tags: [String: String] = [:]
        /// All other parameters, as last sent.
        public var parameters: [String: String] = [:]

        /// Whether notifications reach the device.
        public var isSubscribed: Bool { (notificationTypes ?? 1) > 0 }
    }

    /// A request and its response.
    public struct Exchange: Sendable, Hashable {
        /// The path.
        public let path: String
        /// The parameters of the form.
        public let form: [String: String]
        /// The status of the response, 0 for none.
        public let status: Int
        /// Whether it repeats an executed request, by its `Idempotency-Key`.
        public let isRepeated: Bool
    }

    /// A failure of one request.
    public enum Fault: Sendable {
        /// The request is rejected with a status and not executed.
        case status(Int)
        /// 429 with `Retry-After`.
        case rateLimited(seconds: Int)
        /// A page of HTML with status 200, as from a captive portal.
        case html
        /// Status 200 with `status` 0.
        case rejected(String)
        /// The request is executed, but its response lacks `player_id`.
        case missingPlayerID
        /// The request is executed, and `status` is sent as text.
        case statusAsText
        /// Status 200 with an error object.
        case errorObject
        /// The request is executed, and the response is delayed.
        case delay(Duration)
        /// The connection is reset, and the request is not executed.
        case reset
        /// The request is executed, but its response is lost.
        case lostResponse
    }

    private struct State: Sendable {
        var devices: [String: Device] = [:]
        var lastNumber = 0
        var exchanges: [Exchange] = []
        var faults: [Fault] = []
        var replies: [String: LoopbackResponse] = [:]
    }

    private let projects: Set<String>
    private let base: String
    private let state = Locked(State())

    /// Creates a server without devices, with the ids of its projects and the path before `/device/…`.
    public init(projects: Set<String>, base: String = "/api/v1") {
        (self.projects, self.base) = (projects, base)
    }

    /// The devices, in the order of their registration.
    public var devices: [Device] {
        state.withLock { $0.devices.values.sorted { $0.playerID < $1.playerID } }
    }

    /// The requests with their responses, in the order of their arrival.
    public var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// Makes the next requests fail, one fault each.
    public func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    /// Forgets a device, as if it were deleted in the panel.
    public func forget(_ playerID: String) { state.withLock { $0.devices[playerID] = nil } }

    /// Handles the requests of a loopback server.
    public func serve(on server: LoopbackServer) {
        let reply: @Sendable (LoopbackRequest) -> LoopbackResponse = { request in
            self.respond(method: request.method, path: request.path, headers: request.headers, body: request.text)
        }
        server.on(.post, "\(base)/device/add", reply)
        server.on(.post, "\(base)/device/edit/*", reply)
    }

    /// Handles one request, for transports other than a loopback server.
    public func respond(method: HTTPMethod, path: String, headers: Headers, body: String) -> LoopbackResponse {
        let form = Form.parse(body)
        return state.withLock { state in
            let fault = state.faults.popFirst()
            if let fault, let refusal = fault.refusal {
                state.exchanges.append(Exchange(path: path, form: form, status: refusal.statusSent, isRepeated: false))
                return refusal
            }
            let key = headers["Idempotency-Key"]
            let known = key.flatMap { state.replies[$0] }
            let reply = known ?? carryOut(method, path, headers, form, &state)
            if let key, reply.status == 200 { state.replies[key] = reply }
            let sent = fault?.changed(reply) ?? reply
            state.exchanges.append(Exchange(path: path, form: form, status: sent.statusSent, isRepeated: known != nil))
            return sent
        }
    }

    private func carryOut(
        _ method: HTTPMethod,
        _ path: String,
        _ headers: Headers,
        _ form: [String: String],
        _ state: inout State
    ) -> LoopbackResponse {
        guard method == .post else { return .failed(405, "use POST") }
        guard headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            return .failed(422, "data not valid")
        }
        let common = ["project_id", "device_type", "game_version", "device_model", "device_os"]
        let isAdding = path == "\(base)/device/add"
        for name in common + (isAdding ? ["identifier"] : ["player_id"]) where form[name]?.isEmpty ?? true {
            return .failed(422, "\(name) is required")
        }
        guard let project = form["project_id"], projects.contains(project) else {
            return .failed(404, "project not found")
        }
        return isAdding ? add(project, form, &state) : edit(project, path, form, &state)
    }

    private func add(_ project: String, _ form: [String: String], _ state: inout State) -> LoopbackResponse {
        let identifier = form["identifier"] ?? ""
        let known = state.devices.values.first { $0.projectID == project && $0.identifier == identifier }
        if known == nil { state.lastNumber += 1 }
        var device =
            known ?? Device(playerID: Self.playerID(state.lastNumber), projectID: project, identifier: identifier)
        device.change(by: form)
        state.devices[device.playerID] = device
        return .json(#"{"player_id":"\#(device.playerID)","status":1}"#)
    }

    private func edit(
        _ project: String,
        _ path: String,
        _ form: [String: String],
        _ state: inout State
    ) -> LoopbackResponse {
        let id = form["player_id"] ?? ""
        guard path == "\(base)/device/edit/\(id)" else { return .failed(422, "player_id does not match the path") }
        guard var device = state.devices[id], device.projectID == project else {
            return .failed(404, "No user with this id found")
        }
        if let text = form["tags"] {
            guard let tags = Form.jsonScalars(text), tags.count <= 100 else {
                return .failed(422, "tags are not valid")
            }
            for (key, value) in tags { device.tags[key] = value.isEmpty ? nil : value }
        }
        device.change(by: form)
        state.devices[id] = device
        return .json(#"{"status":1}"#)
    }

    private static func playerID(_ number: Int) -> String {
        let digits = String(number)
        return "ffffb794-ba37-11e3-8077-" + String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
    }
}

extension IDPushServer.Device {
    fileprivate mutating func change(by form: [String: String]) {
        if let types = form["notification_types"].flatMap({ Int($0) }) { notificationTypes = types }
        if let token = form["identifier"] { identifier = token }
        let own: Set<String> = ["project_id", "player_id", "identifier", "notification_types", "tags"]
        parameters.merge(form.filter { !own.contains($0.key) }) { _, last in last }
    }
}

extension IDPushServer.Fault {
    /// The response to a request that is not executed; `nil` if it is.
    fileprivate var refusal: LoopbackResponse? {
        switch self {
        case .status(let status): .failed(status, "status \(status)")
        case .rateLimited(let seconds): .failed(429, "slow down").header("Retry-After", String(seconds))
        case .html: .logInPage
        case .rejected(let message): .failed(200, message)
        case .errorObject: .json(#"{"error":{"code":"X","message":"something went wrong"}}"#)
        case .reset: LoopbackResponse.ok.withConnectionReset
        case .missingPlayerID, .statusAsText, .delay, .lostResponse: nil
        }
    }

    /// The response to a request that was executed.
    fileprivate func changed(_ reply: LoopbackResponse) -> LoopbackResponse {
        switch self {
        case .missingPlayerID: .json(#"{"status":1}"#)
        case .statusAsText:
            if case .text(let text) = reply.body {
                .json(text.replacing(#""status":1"#, with: #""status":"1""#))
            } else {
                reply
            }
        case .delay(let time): reply.delayed(by: time)
        case .lostResponse: reply.withConnectionReset
        default: reply
        }
    }
}

extension LoopbackResponse {
    fileprivate static func failed(_ status: Int, _ message: String) -> LoopbackResponse {
        .json(#"{"message":"\#(message)","status":0}"#, status: status)
    }
}
