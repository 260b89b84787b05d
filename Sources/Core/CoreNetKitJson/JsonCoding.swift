/// How `Codable` entries are encoded as JSON and decoded from it.
///
/// Encoded keys are always sorted, so that equal entries give equal bytes. A value of one word: the default options need
/// no memory.
///
/// Two values are equal if their options are. Closures and ``userInfo`` are equal only to their own copies.
public struct JsonCoding: Sendable {
    private struct Options: Sendable, Hashable {
        var keys = Keys.asWritten
        var dates = Dates.deferred
        var data = Bytes.base64
        var nonFinite = NonFinite.error
        var userInfo: ByIdentity<[CodingUserInfoKey: any Sendable]>?
    }

    private final class Storage: Sendable {
        let options: Options
        init(_ options: Options) { self.options = options }
    }

    /// `nil` if all options are the defaults.
    private var storage: Storage?

    private var options: Options {
        get { storage?.options ?? Options() }
        set { storage = newValue == Options() ? nil : Storage(newValue) }
    }

    /// Chooses the options; each is described at the property of that name.
    public init(
        keys: Keys = .asWritten,
        dates: Dates = .deferred,
        data: Bytes = .base64,
        nonFinite: NonFinite = .error,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
        options = Options(keys: keys, dates: dates, data: data, nonFinite: nonFinite)
        if !userInfo.isEmpty { self.userInfo = userInfo }
    }

    /// The default options.
    @inline(__always)
    public init() {}

    package var isDefault: Bool { storage == nil }

    @inline(__always)
    func isSame(as other: JsonCoding) -> Bool { storage === other.storage }

    @inline(__always)
    var convertsNames: Bool {
        guard let storage else { return false }
        return storage.options.keys != .asWritten
    }

    /// How property names are represented in JSON.
    public var keys: Keys {
        get { storage?.options.keys ?? .asWritten }
        set { options.keys = newValue }
    }

    /// How dates are represented in JSON.
    public var dates: Dates {
        get { storage?.options.dates ?? .deferred }
        set { options.dates = newValue }
    }

    /// How bytes are represented in JSON.
    public var data: Bytes {
        get { storage?.options.data ?? .base64 }
        set { options.data = newValue }
    }

    /// How infinite numbers and NaN are represented in JSON.
    public var nonFinite: NonFinite {
        get { storage?.options.nonFinite ?? .error }
        set { options.nonFinite = newValue }
    }

    /// The `userInfo` of the coder, for `init(from:)` and `encode(to:)`.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { storage?.options.userInfo?.value ?? [:] }
        set { options.userInfo = newValue.isEmpty ? nil : ByIdentity(newValue) }
    }
}

extension JsonCoding: Hashable {
    /// Compares the options; closures and ``userInfo`` are equal to their copies.
    public static func == (left: JsonCoding, right: JsonCoding) -> Bool {
        left.storage === right.storage || left.options == right.options
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { options.hash(into: &hasher) }
}

final class ByIdentity<Value: Sendable>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: ByIdentity, right: ByIdentity) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
