import Foundation

/// What the command line requests.
struct Arguments {
    static let usage = """
        usage: Waterfall [--calls COUNT] [FOLDER]
               Waterfall --serve [--seconds COUNT] [--calls COUNT]

        Makes calls against a server of its own and draws what they did: here as text, and as a page, an archive,
        spans, metrics and commands in FOLDER, a temporary one where none is named.

          --calls COUNT    COUNT further calls, up to 100000, for a long page
          --serve          shows the page of the running program on 127.0.0.1 instead, to whoever has its address
          --seconds COUNT  how long it is shown, up to 86400; 600 by default
          --help           this
        """

    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    var folder: URL?
    var calls = 0
    var serves = false
    var seconds: Int?
    var wantsHelp = false

    init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--help", "-h": wantsHelp = true
            case "--serve": serves = true
            case "--calls": calls = try Self.number(after: word, in: &words, upTo: 100_000)
            case "--seconds": seconds = try Self.number(after: word, in: &words, upTo: 86_400)
            default:
                guard !word.hasPrefix("-") else { throw Problem(description: "unknown option '\(word)'") }
                guard folder == nil else { throw Problem(description: "unexpected argument '\(word)'") }
                folder = URL(fileURLWithPath: word)
            }
        }
        if serves, let folder {
            throw Problem(description: "--serve writes no files: leave \(folder.path) out, or --serve")
        }
        if !serves, seconds != nil { throw Problem(description: "--seconds is for --serve") }
    }

    private static func number(after option: String, in words: inout ArraySlice<String>, upTo limit: Int) throws -> Int
    {
        guard let word = words.popFirst(), let number = Int(word), 0...limit ~= number else {
            throw Problem(description: "\(option) wants a number from 0 to \(limit)")
        }
        return number
    }

    /// The folder, created if it is missing.
    func madeFolder() throws -> URL {
        let files = FileManager.default
        let folder = folder ?? files.temporaryDirectory.appendingPathComponent("waterfall-\(getpid())")
        // Existing parts of the path must be folders: the library on Linux traps on some other files.
        var place = folder.standardizedFileURL
        var isFolder: ObjCBool = false
        while !files.fileExists(atPath: place.path, isDirectory: &isFolder), place.path != "/" {
            place.deleteLastPathComponent()
        }
        guard isFolder.boolValue else {
            throw Problem(
                description: "cannot make the folder \(folder.path): \(place.path) is no folder; name another place"
            )
        }
        guard files.isWritableFile(atPath: place.path) else {
            throw Problem(
                description:
                    "cannot make files in \(folder.path): no right to write in \(place.path); name another place"
            )
        }
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
