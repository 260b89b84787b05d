import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

struct EnqueueOptions: Sendable {
    var queue: String?
    var kind = ""
    var expires: Duration?
    var mergeKey: String?
    var repetition = OutboxRepetition.byMethod
    var key: String?
    var owner: String?
    /// The owner of the client's tokens, as stored; takes precedence over `owner`.
    var partition: String?
    var expects: String?
    var conditions: Set<OutboxCondition> = []
    /// The user of the request; `nil` for the one who is signed in when it is stored.
    var user: Partition?
    /// Whether an entry without a user stays without an owner: a chain knows that its client has no user.
    var ignoresTokenOwner = false
    var secrets = SecretRules.standard

    static let longestName = 255

    /// The head of the entry; an error names what is wrong, without its value.
    func head(for request: TransportRequest, made: WallMoment, revision: Int) throws(OutboxError) -> EntryHead {
        try check(queue, "queue")
        try check(mergeKey, "merge key")
        try check(owner, "owner")
        try check(key, "idempotency key")
        for case .holds(let name) in conditions.map(\.rule) {
            try check(name, "condition")
            guard !name.contains(" ") else { throw Self.invalid("the name of a condition has a space") }
        }
        guard kind.utf8.count <= Self.longestName else { throw Self.invalid("the kind is longer than 255 bytes") }
        if let expires, expires <= .zero { throw Self.invalid("the request is expired before it is enqueued") }
        try check(request)
        var fields = request.headers
        let id = UUID()
        var head = EntryHead(
            id: id,
            queue: queue ?? id.uuidString,
            kind: kind,
            method: request.method.rawValue,
            url: request.url.absoluteString,
            fields: [:],
            made: made,
            repetition: repetition
        )
        let ownKey = key ?? fields["Idempotency-Key"]
        try check(ownKey, "idempotency key")
        head.key = ownKey ?? (repetition.rule == .keyIsHonoured ? UUID().uuidString : nil)
        fields.remove("Idempotency-Key")
        head.fields = fields
        head.expires = expires.map { expires in
            let (sum, overflow) = made.wall.addingReportingOverflow(expires.wholeMilliseconds)
            return overflow ? .max : sum
        }
        head.owner = partition ?? owner.map(Partition.ownerName(stored:))
        (head.mergeKey, head.expects, head.revision) = (mergeKey, expects, revision)
        head.conditions = conditions.sorted { $0.description < $1.description }
        return head
    }

    private func check(_ name: String?, _ what: String) throws(OutboxError) {
        guard let name else { return }
        guard !name.isEmpty else { throw Self.invalid("the \(what) is empty") }
        guard name.utf8.count <= Self.longestName else { throw Self.invalid("the \(what) is longer than 255 bytes") }
        guard FieldCheck.isValue(name) else { throw Self.invalid("the \(what) has a control character") }
    }

    private func check(_ request: TransportRequest) throws(OutboxError) {
        guard request.body.isReplayable else {
            throw OutboxError(.unrepeatableBody, "the body is a stream that can be read once; store bytes or a file")
        }
        for field in request.headers
        where secrets.verdict(field: field.name) == .secret
            || SecretPattern.hasToken(field.value) && secrets.isCredential(field: field.name, value: field.value)
        {
            throw Self.secret("the field \(field.name)", "let a token policy or a header provider of the client add it")
        }
        guard request.url.user == nil, request.url.password == nil else {
            throw OutboxError(.secretField, "the URL carries user information, which is not stored")
        }
        if let name = secrets.secretItem(of: request.url.absoluteString) {
            let advice = "send them in a field that a token policy or a header provider of the client adds"
            throw Self.secret("the item \(name) of the URL", advice)
        }
        do {
            // Only these parts are stored as they are.
            try TransportRequest(method: request.method, url: request.url, headers: request.headers).validate()
        } catch {
            throw OutboxError(.invalidRequest, error.message, cause: error)
        }
    }

    private static func secret(_ place: String, _ advice: String) -> OutboxError {
        OutboxError(.secretField, "\(place) carries credentials, which are not stored; \(advice)")
    }

    private static func invalid(_ message: String) -> OutboxError { OutboxError(.invalidOption, message) }
}

extension SecretRules {
    /// The name of the first secret item with a value in the path (`;name=value`), the query or the fragment of a URL.
    func secretItem(of url: String) -> String? {
        var (isItem, isPastPath) = (false, false)
        var start = url.startIndex
        while true {
            let end = url[start...].firstIndex { (isPastPath ? "&;#" : "?;#/").contains($0) } ?? url.endIndex
            let parts = url[start..<end].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if isItem, parts.count == 2, !parts[1].isEmpty, verdict(item: parts[0]) == .secret {
                return PercentEncoding.decode(parts[0])
            }
            guard end < url.endIndex else { return nil }
            // A path segment may contain equals signs; only parts after a semicolon are items.
            isItem = url[end] != "/"
            isPastPath = isPastPath || url[end] == "?" || url[end] == "#"
            start = url.index(after: end)
        }
    }
}
