package import CoreNetKitSystem

public import CoreNetKitEssentials

/// The file that a jar is kept in: readable for its owner only, replaced as a whole.
public struct CookieFile: Sendable {
    /// Why a jar could not be stored or read.
    public enum Failure: Error, Sendable, Hashable {
        /// The file cannot be read or written; the text says why.
        case file(String)
        /// The file is there, but holds no jar.
        case damaged
    }

    private struct Content: Codable {
        var version = 1
        var partitions: [String: [Cookie]]
    }

    private let path: String
    private let files: any FileOperations

    /// Names the file; it need not be there.
    public init(at url: URL) {
        self.init(path: url.path(percentEncoded: false), files: PosixFiles())
    }

    package init(path: String, files: any FileOperations) {
        (self.path, self.files) = (path, files)
    }

    /// Replaces the file by what the jar has; cookies of users whose partition is not stable are nobody's after a restart,
    /// and are left out.
    ///
    /// - Parameters:
    ///   - jar: The jar.
    ///   - includesSession: Whether cookies are stored that end with the session.
    /// - Throws: ``Failure``; the file is as it was then.
    public func store(_ jar: CookieJar, includesSession: Bool = false) throws(Failure) {
        var content = Content(partitions: [:])
        for partition in jar.stablePartitions {
            content.partitions[partition] = jar.allCookies(partition: partition).filter {
                includesSession || $0.expires != nil
            }
        }
        guard let bytes = try? JSONEncoder().encode(content) else { throw .damaged }
        do throws(FileError) {
            let name = path.split(separator: "/").last.map(String.init) ?? "cookies"
            try files.replace(path, with: Array(bytes), draft: ".\(name).draft")
        } catch {
            throw .file(error.reason)
        }
    }

    /// Adds what the file has to a jar; a file that is not there adds nothing.
    ///
    /// - Parameter jar: The jar.
    /// - Throws: ``Failure``; the jar is as it was then.
    public func load(into jar: CookieJar) throws(Failure) {
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try files.content(of: path, limit: 64 << 20) } catch {
            throw .file(error.reason)
        }
        guard let bytes else { return }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.version == 1 else {
            throw .damaged
        }
        for (partition, cookies) in content.partitions where !Self.isOfAnEarlierProcess(partition) {
            for cookie in cookies { jar.set(cookie, partition: partition) }
        }
    }

    /// Whether a partition is that of a login without a name, as older versions wrote them: nobody has it any more.
    private static func isOfAnEarlierProcess(_ partition: String) -> Bool {
        guard let login = partition.firstRange(of: "42:login ") else { return false }
        return UUID(uuidString: String(partition[login.upperBound...].prefix(36))) != nil
    }
}
