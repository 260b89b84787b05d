import CoreNetKitHTTP

/// The desired state at IDPush and the state that it has confirmed: one value, stored as a whole.
///
/// A new change makes the confirmed state unknown, so that nothing is assumed if a response is lost. The record uses no
/// clock, no store and no network.
struct IDPushRecord: Sendable, Equatable {
    /// The parts that are sent in separate requests, in sending order.
    enum Part: String, CaseIterable, Sendable {
        case subscription = "choice"
        case device, tags, parameters
    }

    typealias Request = (action: IDPushAction, playerID: String?, parameters: [String: TagValue], key: String)

    enum Owner: Hashable, Sendable {
        /// Unknown: an older version stored the tags, or no user has signed in yet.
        case unknown
        /// No user: the last one has signed out.
        case signedOut
        case user(String)
    }

    var playerID: String?
    var token: String?
    /// The parameters of the last confirmed registration; `nil` while one is pending.
    var confirmedRegistration: [String: TagValue]?
    /// The user's choice, `nil` before any choice.
    var isSubscribed: Bool?
    /// Counts the changes of the choice; stored as `choices`.
    var choiceRevision = 0
    var isChoicePending = false
    /// Confirmed tags; a removed one is kept as `.remove`.
    var tags: [String: TagValue] = [:]
    var pendingTags: [String: TagValue] = [:]
    var owner = Owner.unknown
    /// Confirmed parameters; a removed one is kept as `.remove`.
    var parameters: [String: TagValue] = [:]
    var pendingParameters: [String: TagValue] = [:]
    /// The user's consent to notifications in general, `nil` before the question.
    var hasConsent: Bool?
    /// Counts the changes of each part; together with the installation they name each request, also after a restart.
    var revisions: [String: Int] = [:]
    /// Distinguishes this installation from others; stored as `seed`.
    var installationID: String
    var device: String?

    /// Whether notifications are stopped: by the user's choice, or because there is no consent any more.
    var isOptedOut: Bool { isSubscribed == false || hasConsent == false }

    func isPending(_ part: Part) -> Bool {
        switch part {
        case .device: token != nil && confirmedRegistration == nil
        // Without a device there is nothing to change; its registration will include the choice.
        case .subscription: isChoicePending && playerID != nil
        case .tags: !pendingTags.isEmpty
        case .parameters: !pendingParameters.isEmpty
        }
    }

    /// Notes a change; a change that is already confirmed or pending has no effect.
    mutating func apply(_ action: IDPushAction, _ configuration: IDPushConfiguration) {
        switch action {
        case .addDevice(let new):
            let parameters = action.parameters(configuration, playerID: nil, isOptedOut: isOptedOut)
            if parameters == confirmedRegistration, playerID != nil { return }
            token = new
            confirmedRegistration = nil
        case .subscribe, .unsubscribe:
            let isWanted = action == .subscribe
            if isSubscribed != isWanted { choiceRevision = choiceRevision.saturatingAdd(1) }
            isSubscribed = isWanted
            isChoicePending = true
        case .setTags(let new):
            guard playerID != nil else { return }
            for (key, value) in new where pendingTags[key] != nil || tags[key] != value {
                pendingTags[key] = value
                tags[key] = nil
            }
        case .editDevice(let new):
            guard playerID != nil else { return }
            pendingParameters.merge(new) { _, last in last }
        }
    }

    /// Removes every tag, including those that were sent and may have arrived.
    mutating func removeAllTags() {
        for key in Set(tags.filter { $0.value != .remove }.keys).union(pendingTags.keys) {
            pendingTags[key] = .remove
            tags[key] = nil
        }
    }

    /// Removes the tags of a user who signs out, unless another user's tags are set by now.
    mutating func signOut(_ user: String) {
        guard owner == .unknown || owner == .user(user) else { return }
        removeUserData()
        owner = .signedOut
    }

    /// Sets the user of the tags; tags that were set without a user become this user's.
    mutating func signIn(_ user: String) {
        if case .user(let other) = owner, other != user { removeUserData() }
        owner = .user(user)
    }

    private mutating func removeUserData() {
        removeAllTags()
        for key in IDPushAction.userParameters where (pendingParameters[key] ?? parameters[key] ?? .remove) != .remove {
            pendingParameters[key] = .remove
            parameters[key] = nil
        }
    }

    mutating func setConsent(_ isGiven: Bool) {
        let before = isOptedOut
        hasConsent = isGiven
        if isOptedOut != before { isChoicePending = true }
        guard !isGiven else { return }
        // Changes that waited for consent are dropped; an opt-out is not.
        if confirmedRegistration == nil { token = nil }
        pendingTags = [:]
        pendingParameters = [:]
    }

    /// Resets the record to a device that is not registered; only the user's choice stays.
    mutating func moveToNewDevice(installationID: String, device: String?) {
        reopen()
        playerID = nil
        token = nil
        confirmedRegistration = nil
        (self.installationID, self.device) = (installationID, device)
    }

    mutating func bumpRevisions(since before: IDPushRecord) {
        for part in Part.allCases where !hasSameRequest(part, as: before) {
            revisions[part.rawValue, default: 0] &+= 1
        }
    }

    func revision(of part: Part) -> Int? { revisions[part.rawValue, default: 0] }

    private func hasSameRequest(_ part: Part, as other: IDPushRecord) -> Bool {
        guard isPending(part) == other.isPending(part) else { return false }
        switch part {
        case .device: return token == other.token && isOptedOut == other.isOptedOut
        case .subscription: return playerID == other.playerID && isOptedOut == other.isOptedOut
        case .tags: return playerID == other.playerID && pendingTags == other.pendingTags
        case .parameters: return playerID == other.playerID && pendingParameters == other.pendingParameters
        }
    }

    func next(_ part: Part) -> IDPushAction? {
        guard isPending(part) else { return nil }
        switch part {
        case .device: return token.map { .addDevice(token: $0) }
        case .subscription: return isOptedOut ? .unsubscribe : .subscribe
        case .tags: return .setTags(tags: Self.portion(of: pendingTags))
        case .parameters: return .editDevice(parameters: pendingParameters)
        }
    }

    /// As many tags as fit in one request; changes of several calls may have accumulated.
    private static func portion(of tags: [String: TagValue]) -> [String: TagValue] {
        var result: [String: TagValue] = [:]
        for key in tags.keys.sorted().prefix(IDPushAction.tagLimit) {
            result[key] = tags[key]
            guard IDPushAction.text(of: result).utf8.count > IDPushAction.tagSizeLimit else { continue }
            result[key] = nil
            break
        }
        return result
    }

    mutating func confirm(_ request: Request, _ reply: IDPushReply) {
        let sent = request.parameters
        switch request.action {
        case .addDevice(let registered):
            if let id = reply.playerID { adopt(id) }
            if token == registered { confirmedRegistration = sent }
            if sent["notification_types"] == (isOptedOut ? -2 : 1) { isChoicePending = false }
        case .subscribe, .unsubscribe:
            if isOptedOut == (request.action == .unsubscribe) { isChoicePending = false }
            confirmedRegistration?["notification_types"] = sent["notification_types"]
        case .setTags(let changes):
            for (key, value) in changes where pendingTags[key] == value {
                pendingTags[key] = nil
                tags[key] = value
            }
        case .editDevice(let changes):
            for (key, value) in changes where pendingParameters[key] == value {
                pendingParameters[key] = nil
                parameters[key] = value
            }
        }
    }

    /// Notes that a request failed: a change that would only fail again is dropped, others stay pending.
    mutating func fail(_ request: Request, _ error: any Error) {
        guard let error = error as? IDPushError else { return }
        if let id = error.playerID, id == playerID {
            playerID = nil
            confirmedRegistration = nil
            reopen()
        }
        guard error.code == .rejected else { return }
        switch request.action {
        case .addDevice(let refused): if token == refused { token = nil }
        // A choice is never dropped: it is the user's.
        case .subscribe, .unsubscribe: break
        case .setTags(let changes): pendingTags = pendingTags.filter { changes[$0.key] != $0.value }
        case .editDevice(let changes): pendingParameters = pendingParameters.filter { changes[$0.key] != $0.value }
        }
    }

    /// Takes another id for the device: the server has no tags and parameters for it, or outdated ones.
    mutating func adopt(_ id: String) {
        guard id != playerID else { return }
        if playerID != nil { reopen() }
        playerID = id
        confirmedRegistration = nil
    }

    /// Makes confirmed values pending again for another device id; removals too, because the id may be an older one.
    private mutating func reopen() {
        pendingTags.merge(tags) { pending, _ in pending }
        pendingParameters.merge(parameters) { pending, _ in pending }
        (tags, parameters) = ([:], [:])
    }
}
