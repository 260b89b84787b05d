import CoreNetKitSystem

/// Why the log cannot be read or written.
enum LogError: Error, Hashable, Sendable {
    /// The system refused; nothing was written.
    case file(FileError)
    /// A newer version of this library wrote it.
    case newerFormat(String)
    /// The folder was replaced, or its permissions do not protect secrets.
    case folder(String)
    /// Written in full, but possibly not safe from a loss of power.
    case notSynced(FileError)
    /// The limits are reached; nothing was written.
    case full(String)
    /// Longer than a record can be.
    case tooLarge(String)
    /// The entry's record differs from what was written.
    case damaged(UInt64)
}

/// Runs file work, and maps its errors to those of the log.
func mappingFiles<Value>(_ work: () throws(FileError) -> Value) throws(LogError) -> Value {
    do { return try work() } catch { throw .file(error) }
}
