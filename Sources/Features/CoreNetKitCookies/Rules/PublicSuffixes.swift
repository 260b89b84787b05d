import CoreNetKitSystem

/// Identifies domains under which anyone can register a name, such as `com` and `co.uk`: no cookie may be set for them.
public struct PublicSuffixes: Sendable {
    /// The origin of the list, for diagnostics.
    public let source: String
    private let isListed: @Sendable (String) -> Bool

    /// Creates a custom list, which is asked for domains in lower case, without dots at their ends.
    public init(source: String, contains: @escaping @Sendable (String) -> Bool) {
        (self.source, isListed) = (source, contains)
    }

    /// Whether the domain is a public suffix.
    public func contains(_ domain: String) -> Bool { isListed(domain) }

    /// The list of the system's libpsl, loaded on first access; without it, ``conservative(allowing:)``.
    public static let system = loadSystem() ?? conservative()

    /// Treats every domain of one or two labels, except the given ones, as a public suffix; needs no data.
    ///
    /// Safe, but `Domain=example.com` is refused.
    public static func conservative(allowing domains: Set<String> = []) -> PublicSuffixes {
        PublicSuffixes(source: "rule: one or two labels") { domain in
            domain.split(separator: ".").count <= 2 && !domains.contains(domain)
        }
    }

    private typealias Builtin = @convention(c) () -> OpaquePointer?
    private typealias IsPublicSuffix = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> CInt

    /// The system's libpsl, loaded at run time without linking; on Debian and Ubuntu libcurl depends on it, so that it exists.
    private static func loadSystem() -> PublicSuffixes? {
        #if canImport(Glibc) || canImport(Musl)
            guard let library = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL),
                let builtin = dlsym(library, "psl_builtin"),
                let isPublicSuffix = dlsym(library, "psl_is_public_suffix"),
                let list = unsafeBitCast(builtin, to: Builtin.self)()
            else { return nil }
            // The list is a constant of a library that is never unloaded.
            let address = UInt(bitPattern: list)
            let ask = unsafeBitCast(isPublicSuffix, to: IsPublicSuffix.self)
            return PublicSuffixes(source: "libpsl") { ask(OpaquePointer(bitPattern: address), $0) == 1 }
        #else
            return nil
        #endif
    }
}
