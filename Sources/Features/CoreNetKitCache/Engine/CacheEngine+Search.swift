import CoreNetKitHTTP
import CoreNetKitSystem

import CoreNetKitEssentials

extension CacheEngine {
    /// The finding for a stored response of another URL whose response declares that the difference in the query does not matter
    /// (No-Vary-Search).
    ///
    /// Only if it can be used without validation: a response is validated under its own URL.
    func equivalent(_ lookup: CacheLookup) async -> CacheFinding? {
        guard !search.isEmpty, let counter = vault.pathCounter(of: lookup.key) else { return nil }
        for (key, rule) in search.equivalents(of: lookup.key, counter: counter) {
            let finding = await findOwn(CacheLookup(key: key, facts: lookup.facts, deadline: lookup.deadline))
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
