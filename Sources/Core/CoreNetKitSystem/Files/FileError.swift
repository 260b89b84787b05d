#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file operation that the system refused: the operation, its path and the system's error text.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation.
    package enum Operation: String, Sendable, CaseIterable {
        case open, close, read, write, sync, syncFolder, truncate, rename, remove, link, lock, status, list, makeFolder
        /// The owner of a file or folder was checked.
        case owner
    }

    package let operation: Operation
    package let path: String
    /// The system's error number, such as `ENOSPC`.
    package let number: Int32

    package init(_ operation: Operation, _ path: String, _ number: Int32) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// The existing file or folder belongs to another user.
    package static func foreign(_ path: String) -> FileError { FileError(.owner, path, EPERM) }

    /// The system's text for the number.
    package var reason: String {
        operation == .owner
            ? "it belongs to another user, or others may write to it" : String(cString: strerror(number))
    }

    package var description: String { "\(operation.rawValue) \(path): \(reason)" }

    package var isMissing: Bool { number == ENOENT }
    package var isFull: Bool { number == ENOSPC || number == EDQUOT }
    package var exists: Bool { number == EEXIST }
}
