#if os(Linux)
    import CNetCurl
#else
    import Darwin
#endif

/// The 32 bytes of a key, which are overwritten when nothing refers to them any more.
///
/// `@unchecked Sendable`: it is immutable.
package final class KeyBytes: @unchecked Sendable {
    package static let count = 32

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)

    /// Creates a key; `fill` writes all bytes.
    package init(_ fill: (UnsafeMutableRawBufferPointer) -> Void) { fill(bytes) }

    deinit {
        #if os(Linux)
            cnc_erase(bytes.baseAddress, bytes.count)
        #else
            memset_s(bytes.baseAddress, bytes.count, 0, bytes.count)
        #endif
        bytes.deallocate()
    }

    package func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(bytes)) }
    }
}
