import CoreNetKitChain
import CoreNetKitSystem

package import CoreNetKitHTTP

package import CoreNetKitEssentials

/// Carries decisions out on one storage: looks up, responds, stores, updates, invalidates.
///
/// Both nodes stand on it.
package final class CacheEngine: Sendable {
    package let storage: any CacheStorage
    package let now: @Sendable () -> CacheTime
    /// The storage, where it may know a record without waiting.
    private let immediate: (any ImmediateStorage)?
    private let epochs = Locked(PartitionEpochs())

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - storage: Where responses are kept.
    ///   - now: The time, read at each step.
    package init(storage: any CacheStorage, now: @escaping @Sendable () -> CacheTime) {
        self.storage = storage
        self.now = now
        immediate = storage as? any ImmediateStorage
    }

    /// Looks a request up, and decides.
    ///
    /// - Parameters:
    ///   - request: The request, with the fields that are known here.
    ///   - scope: Under what to look.
    ///   - acceptsStale: Whether a permitted stale response is an end; the half at the wire validates it instead.
    /// - Returns: What is to be done.
    package func find(_ request: TransportRequest, _ scope: CacheScope, acceptsStale: Bool) async -> CacheFinding {
        let inquiry = inquiry(request, scope, acceptsStale: acceptsStale)
        if let finding = findNow(inquiry) { return finding }
        return await find(inquiry)
    }

    /// What is looked up for a request, and what is asked of it.
    package func inquiry(_ request: TransportRequest, _ scope: CacheScope, acceptsStale: Bool) -> CacheInquiry {
        let key = key(of: request.url, in: scope)
        var question = CacheQuestion(method: request.method, headers: request.headers, mode: scope.mode)
        question.acceptsStale = acceptsStale
        // A GET with content is nobody's idea of a resource: its response depends on what was sent.
        if !request.body.isEmpty && !question.isLocal { question.mode.kind = .off }
        return CacheInquiry(key: key, question: question)
    }

    /// Decides where that needs no waiting: nothing is to be looked up, or the storage knows the record.
    package func findNow(_ inquiry: CacheInquiry) -> CacheFinding? {
        let question = inquiry.question
        var record: CacheRecord?
        if question.isLookedUp {
            guard case .known(let known)? = immediate?.peek(inquiry.key) else { return nil }
            record = known
        }
        let time = now()
        let decision = decide(question, stored: record, now: time)
        if let index = decision.usedIndex, record?.variants[index].facts.groups.isEmpty == false { return nil }
        return CacheFinding(key: inquiry.key, record: record, decision: decision, time: time)
    }

    /// Looks up and decides.
    package func find(_ inquiry: CacheInquiry) async -> CacheFinding {
        var record = await storage.record(for: inquiry.key)
        let time = now()
        var decision = decide(inquiry.question, stored: record, now: time)
        // RFC 9875: what belongs to a group that was invalidated after it was received is invalid, too.
        if let index = decision.usedIndex, let variant = record?.variants[index],
            await isInvalidated(variant, inquiry.key)
        {
            record?.variants[index].isInvalid = true
            decision = decide(inquiry.question, stored: record, now: time)
        }
        return CacheFinding(key: inquiry.key, record: record, decision: decision, time: time)
    }

    private func isInvalidated(_ variant: CacheVariant, _ key: CacheKey) async -> Bool {
        for group in variant.facts.groups {
            if let time = await storage.record(for: key.ofGroup(group))?.invalidated,
                !time.precedes(variant.requested, at: now())
            {
                return true
            }
        }
        return false
    }

    /// Marks what is stored of a URL as to be validated.
    package func invalidate(_ url: URL, in scope: CacheScope) async {
        let time = now()
        await storage.change(key(of: url, in: scope)) { $0.invalidate(at: time) }
    }

    /// Marks the stored responses of a URL as to be validated, because their content is of no use here.
    package func distrust(_ url: URL, in scope: CacheScope) async {
        await storage.change(key(of: url, in: scope)) { record in
            for index in record.variants.indices { record.variants[index].isInvalid = true }
        }
    }

    /// Marks what belongs to a group of a URL's origin as to be validated.
    package func invalidate(group: String, of url: URL, in scope: CacheScope) async {
        let time = now()
        await storage.change(key(of: url, in: scope).ofGroup(group)) { $0.invalidate(at: time) }
    }

    /// Where something is kept: what must not be written down is not marked on disk either.
    private func key(of url: URL, in scope: CacheScope) -> CacheKey {
        CacheKey(url: url, partition: scope.partition, isPersistent: scope.isPersistent, by: scope.secrets)
    }

    /// Removes what is stored for a partition, or everything; what is under way is not stored any more.
    package func removeAll(partition: String?) async {
        epochs.withLock { $0.end(partition) }
        await storage.removeAll(partition: partition)
    }

    /// A number that changes when the partition is emptied.
    package func epoch(of partition: String) -> UInt64 { epochs.withLock { $0.epoch(of: partition) } }
}
