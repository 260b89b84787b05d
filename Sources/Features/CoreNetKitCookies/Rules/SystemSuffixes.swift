#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system's libpsl, loaded at run time without linking; on Debian and Ubuntu libcurl depends on it, so that it exists.
enum SystemSuffixes {
    private typealias Builtin = @convention(c) () -> OpaquePointer?
    private typealias IsPublicSuffix = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> CInt

    static func load() -> PublicSuffixes? {
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
