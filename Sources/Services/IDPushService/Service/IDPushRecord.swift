import CoreNetKitHTTP

/// What is wanted of IDPush and what it has confirmed: one value, stored as a whole.
///
/// A change that is wanted makes the confirmed state unknown from then on, so that nothing is taken for granted when an
/// response is lost. Pure: no clock, no store, no network.
struct IDPushRecord: Sendable, Equatable {
    /// The parts that are sent in requests of their own, in the order in which they are sent.
    enum Part: String, CaseIterable, Sendable {
        case choice, device, tags, parameters
    }

    /// Whose something is.
    enum Owner: Hashable, Sendable {
        /// Whoever was signed in when an older version stored it, or nobody yet.
        case unknown
        /// Nobody's: whoever it was has left.
        case nobody
        case user(String)
    }

    /// The id of the device, once there is one.
    var playerID: String?
    /// The wanted device token.
    var token: String?
    /// What the last confirmed registration said; `nil` while it is open.
    var confirmed: [String: TagValue]?
    /// What the user chose, `nil` before any choice.
    var isSubscribed: Bool?
    /// Counts how often the user chose otherwise than before.
    var choices = 0
    /// Whether the choice still has to be sent.
    var isChoiceOpen = false
    /// Confirmed tags; a removed one is kept as `.remove`.
    var tags: [String: TagValue] = [:]
    /// Wanted changes of tags.
    var openTags: [String: TagValue] = [:]
    /// Whose the tags are.
    var owner = Owner.unknown
    /// Confirmed parameters; a removed one is kept as `.remove`.
    var parameters: [String: TagValue] = [:]
    /// Wanted changes of parameters.
    var openParameters: [String: TagValue] = [:]
    /// What the user said to notifications at all, `nil` before the question.
    var hasConsent: Bool?
    /// Counts the changes of each part; with the seed, the name of each request, the same after a restart.
    var revisions: [String: Int] = [:]
    /// What tells this installation from others.
    var seed: String
    /// The device that the record was written on.
    var device: String?

    /// Whether notifications are to stay away: by the user's choice, or because the user does not agree any more.
    var isOptedOut: Bool { isSubscribed == false || hasConsent == false }

    init(seed: String, device: String? = nil) {
        self.seed = seed
        self.device = device
    }

    /// Whether a part still has to be sent.
    func isOpen(_ part: Part) -> Bool {
        switch part {
        case .device: token != nil && confirmed == nil
        // Without a device there is nobody to tell; its registration will say it.
        case .choice: isChoiceOpen && playerID != nil
        case .tags: !openTags.isEmpty
        case .parameters: !openParameters.isEmpty
        }
    }

    /// Notes what is wanted; what is confirmed or wanted already changes nothing.
    mutating func want(_ action: IDPushAction, _ configuration: IDPushConfiguration) {
        switch action {
        case .addDevice(let new):
            let parameters = action.parameters(configuration, playerID: nil, isOptedOut: isOptedOut)
            if parameters == confirmed, playerID != nil { return }
            token = new
            confirmed = nil
        case .subscribe, .unsubscribe:
            let isWanted = action == .subscribe
            if isSubscribed != isWanted { choices = choices.saturatingAdd(1) }
            isSubscribed = isWanted
            isChoiceOpen = true
        case .setTags(let new):
            guard playerID != nil else { return }
            for (key, value) in new where openTags[key] != nil || tags[key] != value {
                openTags[key] = value
                tags[key] = nil
            }
        case .editDevice(let new):
            guard playerID != nil else { return }
            openParameters.merge(new) { _, last in last }
        }
    }

    /// Takes away every tag, those included that were sent and may have arrived.
    mutating func wantNoTags() {
        for key in Set(tags.filter { $0.value != .remove }.keys).union(openTags.keys) {
            openTags[key] = .remove
            tags[key] = nil
        }
    }

    /// Takes away the tags of who leaves, unless somebody else's are set by now.
    mutating func leave(_ user: String) {
        guard owner == .unknown || owner == .user(user) else { return }
        wantNothingOfUser()
        owner = .nobody
    }

    /// Sets whose tags come from now on; what was set while nobody was signed in becomes theirs.
    mutating func join(_ user: String) {
        if case .user(let other) = owner, other != user { wantNothingOfUser() }
        owner = .user(user)
    }

    /// Takes away the tags, and the parameters that say whose the device is.
    private mutating func wantNothingOfUser() {
        wantNoTags()
        for key in IDPushAction.userParameters where (openParameters[key] ?? parameters[key] ?? .remove) != .remove {
            openParameters[key] = .remove
            parameters[key] = nil
        }
    }

    /// Notes what the user said to notifications at all.
    mutating func setConsent(_ isGiven: Bool) {
        let before = isOptedOut
        hasConsent = isGiven
        if isOptedOut != before { isChoiceOpen = true }
        guard !isGiven else { return }
        // What waited for the consent is given up; that notifications stay away is not.
        if confirmed == nil { token = nil }
        openTags = [:]
        openParameters = [:]
    }

    /// Makes it the record of a device that is not registered: only what the user chose stays.
    mutating func moveToNewDevice(seed: String, device: String?) {
        reopen()
        playerID = nil
        token = nil
        confirmed = nil
        self.seed = seed
        self.device = device
    }

    /// Counts the parts whose requests are others than before.
    mutating func count(changesSince before: IDPushRecord) {
        for part in Part.allCases where !hasSameRequest(part, as: before) {
            revisions[part.rawValue, default: 0] &+= 1
        }
    }

    /// How often the request of a part has changed.
    func revision(of part: Part) -> Int? { revisions[part.rawValue, default: 0] }

    private func hasSameRequest(_ part: Part, as other: IDPushRecord) -> Bool {
        guard isOpen(part) == other.isOpen(part) else { return false }
        switch part {
        case .device: return token == other.token && isOptedOut == other.isOptedOut
        case .choice: return playerID == other.playerID && isOptedOut == other.isOptedOut
        case .tags: return playerID == other.playerID && openTags == other.openTags
        case .parameters: return playerID == other.playerID && openParameters == other.openParameters
        }
    }

    /// The next action of a part, `nil` when there is nothing to send.
    func next(_ part: Part) -> IDPushAction? {
        guard isOpen(part) else { return nil }
        switch part {
        case .device: return token.map { .addDevice(token: $0) }
        case .choice: return isOptedOut ? .unsubscribe : .subscribe
        case .tags: return .setTags(tags: Self.portion(of: openTags))
        case .parameters: return .editDevice(parameters: openParameters)
        }
    }

    /// As many tags as fit in one call: wishes of several calls may have come together.
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

    /// Notes that the server did what a request asked for.
    ///
    /// - Parameters:
    ///   - action: What was asked for.
    ///   - sent: The parameters of the request.
    ///   - id: The id in the response.
    mutating func confirm(_ action: IDPushAction, sent: [String: TagValue], id: String?) {
        switch action {
        case .addDevice(let registered):
            if let id { adopt(id) }
            if token == registered { confirmed = sent }
            if sent["notification_types"] == (isOptedOut ? -2 : 1) { isChoiceOpen = false }
        case .subscribe, .unsubscribe:
            if isOptedOut == (action == .unsubscribe) { isChoiceOpen = false }
            confirmed?["notification_types"] = sent["notification_types"]
        case .setTags(let changes):
            for (key, value) in changes where openTags[key] == value {
                openTags[key] = nil
                tags[key] = value
            }
        case .editDevice(let changes):
            for (key, value) in changes where openParameters[key] == value {
                openParameters[key] = nil
                parameters[key] = value
            }
        }
    }

    /// Notes that a request failed: what can only fail again is dropped, everything else stays open.
    mutating func fail(_ action: IDPushAction, _ error: IDPushError) {
        if let id = error.playerID, id == playerID {
            playerID = nil
            confirmed = nil
            reopen()
        }
        guard error.code == .rejected else { return }
        switch action {
        case .addDevice(let refused): if token == refused { token = nil }
        // A choice is never given up: it is the user's.
        case .subscribe, .unsubscribe: break
        case .setTags(let changes): openTags = openTags.filter { changes[$0.key] != $0.value }
        case .editDevice(let changes): openParameters = openParameters.filter { changes[$0.key] != $0.value }
        }
    }

    /// Takes another id for the device: the server has no tags and parameters of it, or those of long ago.
    mutating func adopt(_ id: String) {
        guard id != playerID else { return }
        if playerID != nil { reopen() }
        playerID = id
        confirmed = nil
    }

    /// What was confirmed of another device is to be said of this one; removals too, as it may be one of earlier.
    private mutating func reopen() {
        openTags.merge(tags) { open, _ in open }
        openParameters.merge(parameters) { open, _ in open }
        (tags, parameters) = ([:], [:])
    }
}
