/// How `Codable` entries become JSON and JSON becomes entries.
///
/// Encoded keys are always sorted, so that the same entry gives the same bytes. A value of one word: the options that most
/// chains use take no memory of their own.
///
/// Two values are equal when their options are. Closures and ``userInfo`` are equal to themselves and to their copies, not to
/// others that do the same.
public struct JsonCoding: Sendable {
    private struct Options: Sendable, Hashable {
        var keys = Keys.asWritten
        var dates = Dates.deferred
        var data = Bytes.base64
        var nonFinite = NonFinite.error
        var userInfo: UserInfo?
    }

    private final class Storage: Sendable {
        let options: Options
        init(_ options: Options) { self.options = options }
    }

    /// `nil` where all options are the usual ones.
    private var storage: Storage?

    private var options: Options {
        get { storage?.options ?? Options() }
        set { storage = newValue == Options() ? nil : Storage(newValue) }
    }

    /// Chooses the options.
    ///
    /// - Parameters:
    ///   - keys: How the names of properties stand in JSON.
    ///   - dates: How dates stand in JSON.
    ///   - data: How bytes stand in JSON.
    ///   - nonFinite: How numbers that are infinite or none stand in JSON.
    ///   - userInfo: What `init(from:)` and `encode(to:)` find in the `userInfo` of their coder.
    public init(
        keys: Keys = .asWritten,
        dates: Dates = .deferred,
        data: Bytes = .base64,
        nonFinite: NonFinite = .error,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
        options = Options(keys: keys, dates: dates, data: data, nonFinite: nonFinite, userInfo: UserInfo(userInfo))
    }

    /// The usual options.
    @inline(__always)
    public init() {}

    /// Whether all options are the usual ones.
    package var isUsual: Bool { storage == nil }

    /// Whether another value is a copy of this one.
    @inline(__always)
    func isSame(as other: JsonCoding) -> Bool { storage === other.storage }

    /// Whether names in JSON differ from those of properties.
    @inline(__always)
    var convertsNames: Bool {
        guard let storage else { return false }
        return storage.options.keys != .asWritten
    }

    /// How the names of properties stand in JSON.
    public var keys: Keys {
        get { storage?.options.keys ?? .asWritten }
        set { options.keys = newValue }
    }

    /// How dates stand in JSON.
    public var dates: Dates {
        get { storage?.options.dates ?? .deferred }
        set { options.dates = newValue }
    }

    /// How bytes stand in JSON.
    public var data: Bytes {
        get { storage?.options.data ?? .base64 }
        set { options.data = newValue }
    }

    /// How numbers that are infinite or none stand in JSON.
    public var nonFinite: NonFinite {
        get { storage?.options.nonFinite ?? .error }
        set { options.nonFinite = newValue }
    }

    /// What `init(from:)` and `encode(to:)` find in the `userInfo` of their coder.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { storage?.options.userInfo?.values ?? [:] }
        set { options.userInfo = UserInfo(newValue) }
    }
}

extension JsonCoding: Hashable {
    /// Compares the options; closures and ``userInfo`` are equal to their copies.
    ///
    /// - Parameters:
    ///   - left: Some options.
    ///   - right: Other options.
    /// - Returns: Whether they are the same.
    public static func == (left: JsonCoding, right: JsonCoding) -> Bool {
        left.storage === right.storage || left.options == right.options
    }

    /// Hashes what ``==(_:_:)`` compares.
    ///
    /// - Parameter hasher: What to feed.
    public func hash(into hasher: inout Hasher) {
        options.hash(into: &hasher)
    }
}

/// Values for coders, as something that can be told from another of its kind.
private final class UserInfo: Sendable, Hashable {
    let values: [CodingUserInfoKey: any Sendable]

    init?(_ values: [CodingUserInfoKey: any Sendable]) {
        guard !values.isEmpty else { return nil }
        self.values = values
    }

    static func == (left: UserInfo, right: UserInfo) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
