public import CoreNetKit
public import CoreNetKitEssentials

// Names of 0.2, each with a fix-it.

extension KoreConfiguration {
    /// The former name of ``RequestFormat``.
    @available(*, deprecated, renamed: "RequestFormat")
    public typealias Wire = RequestFormat

    /// The former name of ``requestFormat``.
    @available(*, deprecated, renamed: "requestFormat")
    public var wire: RequestFormat {
        get { requestFormat }
        set { requestFormat = newValue }
    }

    /// The former name of ``notSubscribedCodes``.
    @available(*, deprecated, renamed: "notSubscribedCodes")
    public var goneCodes: Set<String> {
        get { notSubscribedCodes }
        set { notSubscribedCodes = newValue }
    }

    /// Creates a configuration, with the former label of its request format.
    @available(*, deprecated, renamed: "init(server:paths:requestFormat:retry:deadline:)")
    public init(
        server: URL,
        paths: Paths = .document,
        wire: RequestFormat,
        retry: RetryPolicy? = .standard,
        deadline: Duration = .seconds(60)
    ) { self.init(server: server, paths: paths, requestFormat: wire, retry: retry, deadline: deadline) }
}

extension KoreMember {
    /// The former name of ``unregister(_:)``.
    @available(*, deprecated, renamed: "unregister(_:)")
    public func leave(_ user: String) throws { try unregister(user) }

    /// The former name of ``register(_:)``.
    @available(*, deprecated, renamed: "register(_:)")
    public func join(_ user: String) throws { try register(user) }

    /// The former name of ``sendPending(_:)``.
    @available(*, deprecated, renamed: "sendPending(_:)")
    public func settle(_ user: String) async throws { try await sendPending(user) }
}
