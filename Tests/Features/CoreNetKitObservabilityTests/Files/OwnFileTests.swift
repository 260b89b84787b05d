import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whatever is written that belongs to a user; what the places are is in `OwnFilePlace`.
@Suite("Files of a user", .timeLimit(.minutes(10)), .paced)
struct OwnFileTests {
    private let world: OwnFileWorld

    init() throws { world = try OwnFileWorld() }

    @Test("are 0600, and their folders 0700", arguments: OwnFilePlace.allCases)
    func modes(_ place: OwnFilePlace) async throws {
        try await world.write(place)
        let paths = try world.paths
        #expect(!paths.isEmpty)
        for path in paths { try world.expectOwn(path) }
    }

    @Test(
        "of an earlier version that others can read or write are theirs no more once they are written again",
        arguments: OwnFilePlace.allCases
    )
    func loose(_ place: OwnFilePlace) async throws {
        try await world.write(place)
        let kept = try world.paths.filter { place.names.contains($0) }
        for name in place.names {
            if !kept.contains(name), !place.folders.contains(name) { try world.plant(name) }
            if !place.folders.contains(name) { chmod(world.path(name), 0o666) }
        }
        try await world.write(place)
        for name in try world.paths where place.names.contains(name) { try world.expectOwn(name) }
    }

    @Test("are not written through a link", arguments: OwnFilePlace.allCases)
    func links(_ place: OwnFilePlace) async throws {
        for name in place.names {
            let world = try OwnFileWorld()
            try world.makeFolders(above: name)
            let victim = world.outside.appending(path: "victim")
            if place.folders.contains(name) {
                try FileManager.default.createDirectory(at: victim, withIntermediateDirectories: false)
            } else {
                try Data("victim".utf8).write(to: victim)
                chmod(victim.path, 0o644)
            }
            try FileManager.default.createSymbolicLink(atPath: world.path(name), withDestinationPath: victim.path)
            // Refused, or the link is replaced by a file.
            try? await world.write(place)
            if place.folders.contains(name) {
                #expect(try FileManager.default.contentsOfDirectory(atPath: victim.path).isEmpty, "\(name)")
            } else {
                #expect(try Data(contentsOf: victim) == Data("victim".utf8), "\(name)")
                #expect(try PosixFiles().status(of: victim.path)?.permissions == 0o644, "\(name)")
            }
        }
    }

    @Test(
        "of another user are neither continued nor replaced",
        .enabled(if: geteuid() == 0, "only root can give a file away"),
        arguments: OwnFilePlace.allCases
    )
    func foreign(_ place: OwnFilePlace) async throws {
        // What is no segment is set aside; one is refused when it is opened.
        for name in place.names where !name.hasSuffix(".log") {
            let world = try OwnFileWorld()
            try world.plant(name, isFolder: place.folders.contains(name))
            let path = world.path(name)
            chmod(path, place.folders.contains(name) ? 0o777 : 0o666)
            chown(path, 1, 1)
            let isDone = (try? await world.write(place)) != nil
            let there = try PosixFiles().status(of: path)
            if place.drafts.contains(name) {
                // Whoever may write to the folder may remove it.
                #expect(isDone && there?.owner != 1, "\(name)")
            } else {
                #expect(there?.owner == 1, "\(name)")
                #expect(!isDone || !place.isStrict, "\(name)")
                if there?.kind == .file {
                    #expect(try Data(contentsOf: URL(filePath: path)) == Data("planted".utf8), "\(name)")
                }
                if there?.kind == .folder { #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty) }
            }
        }
    }
}
