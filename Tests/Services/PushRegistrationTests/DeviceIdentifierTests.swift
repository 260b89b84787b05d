import FileModel
import IDPushService
import PushRegistration
import TestSupport

@Suite("The identifier of a device, and whether its data can be read", .timeLimit(.minutes(10)), .paced)
struct DeviceIdentifierTests {
    private let file = "/data/device.json"

    private func files() throws -> ModelFiles {
        let files = ModelFiles()
        try files.makeFolder("/data")
        return files
    }

    @Test("it is created once, and stays the same")
    func identifier() throws {
        let files = try files()
        let identifier = DeviceIdentifier(file: file, files: files)
        #expect(identifier.isReadable)
        let first = try #require(identifier.current)
        #expect(DeviceIdentifier(file: file, files: files).current == first)
        #expect(DeviceIdentifier(file: nil, files: files).current == nil)
    }

    @Test("before the first unlock the defaults throw instead of looking empty, and are read after it")
    func locked() throws {
        let files = try files()
        _ = DeviceIdentifier(file: file, files: files).current
        files.fail { [file] operation, path in path == file && operation == .open ? EPERM : nil }
        let identifier = DeviceIdentifier(file: file, files: files)
        let store = UserDefaultsStore(suiteName: "CoreNetKit.DeviceIdentifierTests.locked", identifier: identifier)
        #expect(!identifier.isReadable && identifier.current == nil)
        #expect(throws: UserDefaultsStore.Unavailable.self) { try store.string(for: "key") }
        #expect(throws: UserDefaultsStore.Unavailable.self) { try store.set(nil, for: "key") }
        files.fail { _, _ in nil }
        #expect(try store.string(for: "key") == nil)
        #expect(identifier.current != nil)
    }

    @Test("a disk that accepts no more files stops no reading")
    func fullDisk() throws {
        let files = try files()
        files.fail { operation, _ in operation == .write ? ENOSPC : nil }
        let identifier = DeviceIdentifier(file: file, files: files)
        #expect(identifier.isReadable && identifier.current == nil)
    }

    static let profiles: [(String?, PushEnvironment)] = [
        (nil, .production),
        ("<key>Name</key><string>App</string>", .production),
        ("<key>aps-environment</key>\n\t<string>development</string>", .development),
        ("<key>aps-environment</key><string>production</string>", .adHoc),
        ("<key>com.apple.developer.aps-environment</key>\n<string>development</string>", .development),
        ("<key>com.apple.developer.aps-environment</key><string>production</string>", .adHoc),
    ]

    @Test("the app's profile says which push environment it is signed for, even for a Mac app", arguments: profiles)
    func environment(_ profile: String?, _ expected: PushEnvironment) {
        #expect(PushEnvironment.declared(in: profile) == expected)
    }
}
