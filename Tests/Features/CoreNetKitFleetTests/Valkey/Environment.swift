#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A number that the environment sets.
func environment(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
