/// A change of a storage, as data: a storage may execute it where its records are.
///
/// Edits are idempotent: each may arrive twice.
public enum CacheEdit: Sendable {
    /// Stores a response with its content, replacing the one with the same selecting fields.
    ///
    /// `keepFor` is how long it can be useful, according to its fields; a storage may keep it longer.
    case put(CacheVariant, CacheKey, keepFor: Duration)
    /// Replaces the head of a stored response, which has the same ``CacheVariant/id``; its content stays.
    case renew(CacheVariant, CacheKey, keepFor: Duration)
    /// Removes a stored response.
    case remove(CacheVariant.ID, CacheKey)
    /// Marks all stored responses of some URLs and groups for validation, whichever process stored them.
    case mark(CacheMark)

    /// The result of an edit.
    public enum Result: Sendable, Hashable {
        /// The next look-up sees it.
        case written
        /// Not permitted: the partition was emptied, something newer is stored, or it is too large.
        case refused
        /// The storage failed.
        case failed
    }

    /// The resource that it changes; `nil` for a mark.
    public var key: CacheKey? {
        switch self {
        case .put(_, let key, _), .renew(_, let key, _), .remove(_, let key): key
        case .mark: nil
        }
    }
}
