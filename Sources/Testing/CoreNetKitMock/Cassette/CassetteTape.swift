import CoreNetKitEssentials
import CoreNetKitHTTP

/// The content of a tape and its playing position: a value without files, transports and time.
struct CassetteTape {
    private(set) var entries: [CassetteEntry] = []
    var report = CassetteReport()
    private var keys: [CassetteKey] = []
    private var indices: [CassetteKey: [Int]] = [:]
    private var patterns: [Int: CassettePattern] = [:]
    private var redactor: Redactor
    private var blank: Redactor
    private var nextPosition = 0
    private let matches: [CassetteMatch]
    private let repeatsLast: Bool
    private let secrets: SecretRules

    init(matches: [CassetteMatch], options: Cassette.Options) {
        self.matches = matches
        repeatsLast = options.repeatsLast
        secrets = options.secretRules
        redactor = Redactor(.numbered, by: options.secretRules)
        blank = Redactor(.blank, by: options.secretRules)
    }

    /// Loads the content of a file; redacts its requests again if they were written by other rules.
    mutating func load(_ content: CassetteFile.Content) {
        let isOwn = content.redactionVersion != nil
        for entry in content.entries where isOwn { reserve(entry) }
        // The first version treated long random texts as secrets.
        if content.redactionVersion == 1 {
            var older = Redactor(.numbered, by: secrets, removesRandom: true)
            older.tokens = redactor.tokens
            redactor = older
        }
        redactor.tokens.isReading = isOwn
        for entry in content.entries {
            var entry = entry
            // A secret in a response has to be known before the request that sends it back.
            let request = redactor.redacted(entry.request)
            _ = redactor.fields(entry.headers)
            _ = redactor.redacted(entry.body, type: entry.headers["Content-Type"])
            entry.request = replacer(CassetteReplacer.shortestOfRequest).replaced(request)
            add(entry)
        }
        redactor.tokens.isReading = false
    }

    private mutating func reserve(_ entry: CassetteEntry) {
        redactor.tokens.reserve(in: entry.request.url)
        for field in entry.request.headers { redactor.tokens.reserve(in: field.value) }
        for field in entry.headers { redactor.tokens.reserve(in: field.value) }
        for body in [entry.request.body, entry.body] + (entry.messages ?? []).map(\.content) {
            redactor.tokens.reserve(in: String(decoding: body, as: UTF8.self))
        }
    }

    /// Adopts the rules of the request's client if they differ.
    private mutating func follow(_ rules: SecretRules) {
        redactor.rules = rules.isStandard ? secrets : rules
        blank.rules = redactor.rules
    }

    private func replacer(_ shortest: Int) -> CassetteReplacer {
        CassetteReplacer(tokens: redactor.tokens, shortest: shortest)
    }

    mutating func add(_ entry: CassetteEntry) {
        let key = CassetteKey(entry.request, matches)
        indices[key, default: []].append(entries.count)
        keys.append(key)
        entries.append(entry)
        nextPosition = max(nextPosition, entry.position + 1)
    }

    // MARK: - Playing

    /// The first matching entry that has not been played, or the reason why there is none, perhaps a fault.
    mutating func find(
        _ request: CassetteRequest,
        by rules: SecretRules,
        isMissReported: Bool
    ) -> (entry: CassetteEntry?, mismatch: String) {
        follow(rules)
        let named = redactor.redacted(request)
        let sent = replacer(CassetteReplacer.shortestOfRequest).replaced(named)
        let key = CassetteKey(sent, matches)
        let same = indices[key] ?? alike(sent)
        if let index = same.first(where: { !entries[$0].isPlayed }) {
            entries[index].isPlayed = true
            return (entries[index], "")
        }
        if let last = same.last, repeatsLast { return (entries[last], "") }
        let mismatch = same.isEmpty ? miss(sent, key) : "every response to \(sent.method) \(sent.url) has been played"
        if isMissReported { report.unmatched.append(mismatch) }
        return (nil, mismatch)
    }

    /// The entries that differ only in secrets, such as new tokens or ids that were secret elsewhere.
    private mutating func alike(_ sent: CassetteRequest) -> [Int] {
        let key = CassetteKey(blank.redacted(sent), matches)
        var found: [Int] = []
        for index in entries.indices {
            if patterns[index] == nil {
                let request = blank.redacted(entries[index].request)
                patterns[index] = CassettePattern(CassetteKey(request, matches), redactor.tokens)
            }
            if patterns[index]?.matches(key) == true { found.append(index) }
        }
        return found
    }

    /// Whether a message equals the one on the tape, apart from secrets.
    mutating func matches(_ sent: CassetteMessage, _ taped: CassetteMessage, by rules: SecretRules) -> Bool {
        guard sent.kind == taped.kind else { return false }
        follow(rules)
        let ofContent = matches.filter(\.isOfContent)
        let parts = ofContent.isEmpty ? [.body] : ofContent
        let named = replacer(CassetteReplacer.shortestOfRequest).replaced(redactor.redacted(sent.request))
        if CassetteKey(named, parts) == CassetteKey(taped.request, parts) { return true }
        let pattern = CassettePattern(CassetteKey(blank.redacted(taped.request), parts), redactor.tokens)
        return pattern.matches(CassetteKey(blank.redacted(named), parts))
    }

    private func miss(_ sent: CassetteRequest, _ key: CassetteKey) -> String {
        let start = "\(sent.method) \(sent.url) is not on the tape"
        guard let nearest = keys.indices.min(by: { keys[$0].distance(to: key) < keys[$1].distance(to: key) }) else {
            return "\(start), which is empty"
        }
        let differing = key.differences(from: keys[nearest]).joined(separator: ", ")
        return "\(start); nearest: \(entries[nearest].summary), which differs in: \(differing)"
    }

    private mutating func redacted(_ message: CassetteMessage) -> CassetteMessage {
        guard message.kind == .text else { return message }
        let shortest = message.isSent ? CassetteReplacer.shortestOfRequest : CassetteReplacer.shortestOfResponse
        let shown = redactor.redacted(message.request)
        var message = message
        message.content = replacer(shortest).replaced(shown).body
        return message
    }

    // MARK: - Recording

    /// Reserves a position on the tape for an exchange that begins.
    mutating func takePosition() -> Int {
        defer { nextPosition += 1 }
        return nextPosition
    }

    mutating func redacted(_ entry: CassetteEntry, by rules: SecretRules) -> CassetteEntry {
        follow(rules)
        var entry = entry
        // Decoded content has another length and no coding any more.
        for name in ["Content-Encoding", "Content-Length", "Transfer-Encoding"] { entry.headers.remove(name) }
        let type = entry.headers["Content-Type"]
        entry.request = redactor.redacted(entry.request)
        entry.headers = redactor.fields(entry.headers)
        entry.body = redactor.redacted(entry.body, type: type)
        entry.request = replacer(CassetteReplacer.shortestOfRequest).replaced(entry.request)
        let replacer = replacer(CassetteReplacer.shortestOfResponse)
        entry.headers = replacer.replaced(entry.headers)
        entry.body = replacer.replaced(entry.body, type: type)
        entry.messages = entry.messages.map { $0.map { redacted($0) } }
        return entry
    }
}
