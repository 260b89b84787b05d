// What Darwin has otherwise than Glibc, as far as our sources name it: only to type-check them on Linux.
// A declaration here hides the one of the same name that comes from Glibc.
@_exported public import Glibc

public struct _opaque_pthread_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
@discardableResult public func pthread_self() -> pthread_t { fatalError() }
@discardableResult public func pthread_equal(_ one: pthread_t!, _ other: pthread_t!) -> Int32 { 0 }
@discardableResult public func pthread_join(_ thread: pthread_t, _ value: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32 { 0 }
@discardableResult public func pthread_detach(_ thread: pthread_t) -> Int32 { 0 }
@discardableResult public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!,
    _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { 0 }

public var F_FULLFSYNC: Int32 { 51 }
public var F_BARRIERFSYNC: Int32 { 85 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
public var SOCK_STREAM: Int32 { 1 }
public var SOCK_DGRAM: Int32 { 2 }
public var RUSAGE_SELF: Int32 { 0 }
@discardableResult public func getrusage(_ who: Int32, _ usage: UnsafeMutablePointer<rusage>!) -> Int32 { 0 }
public func clock_gettime_nsec_np(_ clock: Int32) -> UInt64 { 0 }
public func sysctlbyname(
    _ name: UnsafePointer<CChar>!,
    _ value: UnsafeMutableRawPointer!,
    _ count: UnsafeMutablePointer<Int>!,
    _ newValue: UnsafeMutableRawPointer!,
    _ newCount: Int
) -> Int32 { -1 }

extension stat {
    public var st_mtimespec: timespec { st_mtim }
}
