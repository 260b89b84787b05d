public import CoreNetKitChain

// Names of 0.2, each with what to write.

extension PolicyHolder {
    /// The former form of ``cache(_:_:)``.
    @available(*, deprecated, message: "write 'cache(_:_:)', or 'without(.cache)' instead of nil")
    public func cache(with cache: ResponseCache?, _ mode: CacheMode = .standard) -> Self {
        cache.map { self.cache($0, mode) } ?? without(CacheNode.position)
    }
}
