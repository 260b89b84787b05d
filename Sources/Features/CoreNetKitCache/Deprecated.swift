public import CoreNetKitChain
public import CoreNetKitHTTP

// Names of 0.2, each with what to write.

extension PolicyHolder {
    /// The former form of ``cache(_:_:)``.
    @available(*, deprecated, message: "write 'cache(_:_:)', or 'without(.cache)' instead of nil")
    public func cache(with cache: ResponseCache?, _ mode: CacheMode = .standard) -> Self {
        cache.map { self.cache($0, mode) } ?? without(CacheNode.position)
    }
}

extension CacheTime {
    /// The former name of ``wallMilliseconds``.
    @available(*, deprecated, renamed: "wallMilliseconds")
    public var wall: Int64 { wallMilliseconds }

    /// The former name of ``monotonicMilliseconds``.
    @available(*, deprecated, renamed: "monotonicMilliseconds")
    public var steady: Int64 { monotonicMilliseconds }

    /// The former name of ``bootID``.
    @available(*, deprecated, renamed: "bootID")
    public var run: UInt64 { bootID }

    /// The former form of ``init(wallMilliseconds:monotonicMilliseconds:bootID:)``.
    @available(*, deprecated, renamed: "init(wallMilliseconds:monotonicMilliseconds:bootID:)")
    public init(wall: Int64, steady: Int64, run: UInt64) {
        self.init(wallMilliseconds: wall, monotonicMilliseconds: steady, bootID: run)
    }
}

extension CacheVariant {
    /// The former name of ``selectingFields``.
    @available(*, deprecated, renamed: "selectingFields")
    public var selecting: [SelectingField] { selectingFields }

    /// The former name of ``requestTime``.
    @available(*, deprecated, renamed: "requestTime")
    public var requested: CacheTime { requestTime }

    /// The former name of ``responseTime``.
    @available(*, deprecated, renamed: "responseTime")
    public var received: CacheTime { responseTime }

    /// The former form of the initializer with `selectingFields:`, `requestTime:` and `responseTime:`.
    @available(*, deprecated, message: "write 'selectingFields:', 'requestTime:' and 'responseTime:'")
    public init(
        status: Int,
        headers: Headers,
        selecting: [SelectingField],
        requested: CacheTime,
        received: CacheTime,
        isDecoded: Bool,
        content: Content
    ) {
        self.init(
            status: status,
            headers: headers,
            selectingFields: selecting,
            requestTime: requested,
            responseTime: received,
            isDecoded: isDecoded,
            content: content
        )
    }
}
