import CoreNetKitSystem

/// Why the log cannot be read or written.
enum LogError: Error, Hashable, Sendable {
    /// The system refused; nothing was written.
    case file(FileError)
    /// A version of this library that is newer wrote it.
    case newerFormat(String)
    /// The folder is not what it was, or not fit for secrets.
    case folder(String)
    /// Written in full, but whether it outlasts a loss of power is not known.
    case notSynced(FileError)
    /// The limits are reached; nothing was written.
    case full(String)
    /// Longer than a record can be.
    case tooLarge(String)
    /// The entry's record is no longer what was written.
    case damaged(UInt64)
}

/// Runs file work, its errors as the log's.
func mappingFiles<Value>(_ work: () throws(FileError) -> Value) throws(LogError) -> Value {
    do { return try work() } catch { throw .file(error) }
}
