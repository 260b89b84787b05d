public import CoreNetKitHTTP
public import CoreNetKitLoopback
import CoreNetKitSystem

/// A mock of a Kore server's subscriptions, for tests: both paths, every request format, and the refusals of the real
/// server.
///
/// ```swift
/// let kore = KorePushServer(users: ["u-1": "access-token"])
/// let server = try LoopbackServer()
/// kore.serve(on: server)     // POST and DELETE /api/users/{userId}/[sdknotifications/][un]subscribe
/// ```
public final class KorePushServer: Sendable {
    /// The form of a request's parameters.
    public enum RequestFormat: String, Sendable, Hashable, CaseIterable {
        /// POST with JSON.
        case json
        /// POST with a form.
        case form
        /// DELETE with JSON.
        case deleteJSON
        /// DELETE with a query.
        case deleteQuery
        /// POST with JSON and `X-HTTP-Method-Override: DELETE`.
        case postOverride
    }

    /// A request and its response.
    public struct Exchange: Sendable, Hashable {
        /// The path, as received.
        public let path: String
        /// The form of the parameters; `nil` for a form that the server does not know.
        public let requestFormat: RequestFormat?
        /// The `Authorization` field.
        public let authorization: String?
        /// The parameters.
        public let parameters: [String: String]
        /// The status of the response, 0 for none.
        public let status: Int
    }

    /// A failure of one request.
    public enum Fault: Sendable {
        /// A status and an error object; not executed.
        case status(Int, code: String = "FAULT")
        /// A status with `{"errors":[{"msg":…}]}`; not executed.
        case errorList(Int, String)
        /// 429 or 503 with `Retry-After`; not executed.
        case retryAfter(Int, seconds: Int)
        /// Status 200 with this content; not executed.
        case content(String, type: String = "application/json")
        /// A page of HTML with status 200, as from a captive portal; not executed.
        case html
        /// 200 without content; not executed.
        case empty
        /// The connection is reset; not executed.
        case reset
        /// No response; not executed.
        case stall
        /// Executed, but the response is lost.
        case lostResponse
        /// Executed, with the response `{"success":true,…}`, the alternative form.
        case publicForm
        /// Executed, with the response 204.
        case noContent
    }

    private struct State: Sendable {
        var tokens: [String: String]
        var expired: Set<String> = []
        var devices: [String: Set<String>] = [:]
        var exchanges: [Exchange] = []
        var faults: [Fault] = []
    }

    private let state: Locked<State>

    /// Creates a server without subscriptions, with the access token of each user.
    public init(users: [String: String]) { state = Locked(State(tokens: users)) }

    /// The requests with their responses, in the order of their arrival.
    public var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// The device tokens that are subscribed for a user.
    public func devices(of user: String) -> Set<String> { state.withLock { $0.devices[user] ?? [] } }

    /// Gives a user a new access token; the previous one counts as expired.
    public func renewToken(of user: String, _ token: String) {
        state.withLock { state in
            if let old = state.tokens.updateValue(token, forKey: user) { state.expired.insert(old) }
            state.expired.remove(token)
        }
    }

    /// Makes the next requests fail, one fault each.
    public func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

    /// Handles the requests of a loopback server.
    public func serve(on server: LoopbackServer) {
        let reply: @Sendable (LoopbackRequest) -> LoopbackResponse = { request in
            self.respond(method: request.method, target: request.target, headers: request.headers, body: request.text)
        }
        for action in ["subscribe", "unsubscribe"] {
            for method in [HTTPMethod.post, .delete] {
                server.on(method, "/api/users/*/\(action)", reply)
                server.on(method, "/api/users/*/sdknotifications/\(action)", reply)
            }
        }
    }

    /// Handles one request, for transports other than a loopback server.
    public func respond(method: HTTPMethod, target: String, headers: Headers, body: String) -> LoopbackResponse {
        let request = KoreRequest(method: method, target: target, headers: headers, body: body)
        return state.withLock { state in
            let fault = state.faults.popFirst()
            let reply = fault?.refusal ?? carryOut(request, &state)
            let sent = fault?.applied(to: reply) ?? reply
            let exchange = Exchange(
                path: request.path,
                requestFormat: request.requestFormat,
                authorization: headers["Authorization"],
                parameters: request.parameters ?? [:],
                status: sent.statusSent
            )
            state.exchanges.append(exchange)
            return sent
        }
    }

    private func carryOut(_ request: KoreRequest, _ state: inout State) -> LoopbackResponse {
        guard let user = request.user else { return .refused(404, "NOT_FOUND") }
        guard let authorization = request.authorization else { return .refused(401, "MISSING_AUTHORIZATION") }
        guard authorization.scheme == "bearer" else { return .refused(401, "INVALID_TOKEN_TYPE") }
        guard !state.expired.contains(authorization.token) else { return .refused(401, "TOKEN_EXPIRED") }
        guard let owner = state.tokens.first(where: { $0.value == authorization.token })?.key else {
            return .refused(401, "INVALID_TOKEN")
        }
        guard state.tokens[user] != nil else { return .refused(404, "USER_NOT_FOUND") }
        guard owner == user else { return .refused(403, "FORBIDDEN") }
        guard let format = request.requestFormat else { return .refused(405, "METHOD_NOT_ALLOWED") }
        guard let parameters = request.parameters else { return .refused(400, "INVALID_REQUEST") }
        guard let device = parameters["deviceId"], device.isDeviceToken else { return .refused(400, "INVALID_DEVICE") }
        guard format.unsubscribes || parameters["osType"] == "ios" || parameters["osType"] == "android" else {
            return .refused(400, "INVALID_OS_TYPE")
        }
        if !format.unsubscribes {
            state.devices[user, default: []].insert(device)
        } else if state.devices[user]?.remove(device) == nil {
            return .refused(404, "DEVICE_NOT_FOUND")
        }
        return .json(#"{"status":true}"#)
    }
}

extension KorePushServer.RequestFormat {
    fileprivate var unsubscribes: Bool { self != .json && self != .form }
}

private struct KoreRequest {
    let path: String
    let user: String?
    let authorization: (scheme: String, token: String)?
    let requestFormat: KorePushServer.RequestFormat?
    /// `nil` for content that cannot be read.
    let parameters: [String: String]?

    init(method: HTTPMethod, target: String, headers: Headers, body: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        path = parts[0]
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let isKnown = segments.count == 5 || (segments.count == 6 && segments[4] == "sdknotifications")
        user = isKnown ? Form.parse("user=\(segments[3])")["user"] : nil
        let field = headers["Authorization"]?.split(separator: " ").map(String.init) ?? []
        authorization = field.count == 2 ? (field[0].lowercased(), field[1]) : nil

        let type = headers["Content-Type"]?.lowercased() ?? ""
        let isJSON = type.hasPrefix("application/json")
        let isForm = type.hasPrefix("application/x-www-form-urlencoded")
        let isOverridden = headers["X-HTTP-Method-Override"]?.uppercased() == "DELETE"
        let unsubscribes = segments.last == "unsubscribe"
        switch (method, unsubscribes) {
        case (.post, false): requestFormat = isJSON ? .json : isForm ? .form : nil
        case (.post, true): requestFormat = isOverridden ? .postOverride : nil
        case (.delete, true): requestFormat = parts.count == 2 ? .deleteQuery : .deleteJSON
        default: requestFormat = nil
        }
        if requestFormat == .deleteQuery {
            parameters = Form.parse(parts[1])
        } else {
            parameters = isForm ? Form.parse(body) : isJSON ? Form.jsonScalars(body) : nil
        }
    }
}

extension KorePushServer.Fault {
    /// The response to a request that is not executed; `nil` if it is.
    fileprivate var refusal: LoopbackResponse? {
        switch self {
        case .status(let status, let code): .refused(status, code)
        case .errorList(let status, let text): .json(#"{"errors":[{"msg":"\#(text)"}]}"#, status: status)
        case .retryAfter(let status, let seconds): .refused(status, "SLOW").header("Retry-After", String(seconds))
        case .content(let text, let type): LoopbackResponse(headers: ["Content-Type": type], body: .text(text))
        case .html: .logInPage
        case .empty: .ok
        case .reset: LoopbackResponse.ok.withConnectionReset
        case .stall: LoopbackResponse.ok.fault(.stall(.beforeStatus))
        case .lostResponse, .publicForm, .noContent: nil
        }
    }

    /// The response to a request that was executed.
    fileprivate func applied(to reply: LoopbackResponse) -> LoopbackResponse {
        switch self {
        case .lostResponse: reply.withConnectionReset
        case .publicForm where reply.status == 200: .json(#"{"message":"Device Subscribed","success":true}"#)
        case .noContent where reply.status == 200: .status(204)
        default: reply
        }
    }
}

extension String {
    fileprivate var isDeviceToken: Bool {
        !isEmpty && utf8.count.isMultiple(of: 2) && utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

extension LoopbackResponse {
    fileprivate static func refused(_ status: Int, _ code: String) -> LoopbackResponse {
        .json(#"{"error":{"code":"\#(code)","message":"refused: \#(code)"}}"#, status: status)
    }
}
