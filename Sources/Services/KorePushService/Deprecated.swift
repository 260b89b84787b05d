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
