import CoreNetKitHTTP
import CoreNetKitSystem

import CoreNetKitEssentials

extension CacheEngine {
    /// The finding for a stored response of another URL whose response declares that the difference in the query does not matter
    /// (No-Vary-Search).
    ///
    /// Only if it can be used without validation: a response is validated under its own URL.
    func equivalent(_ inquiry: CacheInquiry) async -> CacheFinding? {
        guard !search.isEmpty, let counter = vault.pathCounter(of: inquiry.key) else { return nil }
        for (key, rule) in search.equivalents(of: inquiry.key, counter: counter) {
            let finding = await findOwn(CacheInquiry(key: key, question: inquiry.question, deadline: inquiry.deadline))
            guard let variant = finding.used, NoVarySearch(variant.headers) == rule else { continue }
            return finding
        }
        return nil
    }

    /// Remembers what a response declares about its query.
    func noteSearch(_ headers: Headers, _ finding: CacheFinding) {
        guard headers.contains("No-Vary-Search"), let counter = finding.pathCounter,
            let rule = NoVarySearch(headers)
        else { return }
        search.note(rule, finding.key, counter: counter)
    }

    /// Removes the stored responses of a URL's origin for one caller (Clear-Site-Data); those in flight are not stored.
    func clear(originOf url: URL, in scope: CacheScope) async {
        clears.withLock { $0 += 1 }
        await vault.within(scope.deadline).removeAll(ofOriginOf: key(of: url, in: scope))
    }
}
