import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSignatures
import CoreNetKitStreams
import ExampleReport
import Foundation
import ProgramArguments

/// A client for S3's interface, against a server of its own: the calls are in S3.swift.
@main
struct S3Client {
    static func main() async throws {
        _ = ProgramArguments(
            """
            usage: S3Client

            Stores, lists and loads objects with a client for S3's interface, against a server of its own.
            """
        )
        let server = try Server()
        let s3 = S3(key: Server.key, region: Server.region, endpoint: server.endpoint)
        var report = Report()
        do {
            try await objects(s3, &report)
            try await lists(s3, &report)
            try await transfers(s3, server, &report)
            try await errors(s3, server, &report)
        } catch {
            report.check(false, "a call that was to succeed", "\(error)")
        }
        server.stop()
        report.end()
    }

    private static func objects(_ s3: S3, _ report: inout Report) async throws {
        try await s3.createBucket("photos")
        let names = try await s3.buckets()
        report.check(names == ["photos"], "buckets", names.joined())

        let keys = ["plain.txt", "a folder/ü & <x>.txt", "q?x=1&y#z/100%+~*'().txt", "double//slash/"]
        for key in keys {
            let (object, content) = (ObjectID(bucket: "photos", key: key), Data("of \(key)".utf8))
            try await s3.put(content, to: object, type: "text/plain")
            let read = try await s3.get(object)
            report.check(read == content, "put and get", key)
        }
        let object = ObjectID(bucket: "photos", key: keys[1])
        let bytes = try await s3.get(3...4, of: object)
        report.check(bytes == Data("a ".utf8), "a range", "bytes 3-4")
        let info = try await s3.info(object)
        let missing = try await s3.info(ObjectID(bucket: "photos", key: "none"))
        report.check(info?.type == "text/plain" && info?.size == 24 && missing == nil, "head", info?.tag ?? "")
        let copy = ObjectID(bucket: "photos", key: "copies//of ü.txt")
        let copied = try await s3.copy(object, to: copy)
        report.check(copied.tag == info?.tag, "copy", copied.tag)
        try await s3.delete(copy)
        let deleted = try await s3.info(copy)
        report.check(deleted == nil, "delete")
    }

    private static func lists(_ s3: S3, _ report: inout Report) async throws {
        for number in 1...5 { try await s3.put(Data(), to: ObjectID(bucket: "photos", key: "list/\(number) & more")) }
        let list = s3.objects(in: "photos", prefix: "list/", pageSize: 2)
        let keys = try await list.elements(\.objects).reduce(into: [String]()) { $0.append($1.key) }
        report.check(keys == (1...5).map { "list/\($0) & more" }, "list", "5 on \(list.state.pages) pages")
    }

    private static func transfers(_ s3: S3, _ server: Server, _ report: inout Report) async throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "s3-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let (source, target) = (folder.appending(path: "source"), folder.appending(path: "target"))
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try content.write(to: source)

        let object = ObjectID(bucket: "photos", key: "big/image.iso")
        let upload = try await s3.upload(source, to: object, partSize: 30_000)
        report.check(upload.tag.hasSuffix("-7\"") && server.openUploads == 0, "upload in parts", "7 parts")

        server.failCompletions(true)
        await report.refusal("InternalError", "an error with status 200") {
            _ = try await s3.upload(source, to: object)
        }
        report.check(server.openUploads == 0, "nothing remains")

        server.cutDownloads(after: 70_000)
        let before = server.loopback.requests.count
        let download = try await s3.download(object, to: target)
        let requests = server.loopback.requests[before...]
        server.cutDownloads(after: nil)
        let isSame = try Data(contentsOf: target) == content
        let ranges = requests.compactMap { $0.headers["Range"] }
        report.check(isSame && download.size == 200_000, "a download that broke", ranges.joined(separator: ", "))
        report.check(ranges == ["bytes=70000-", "bytes=140000-"], "only the rest again", "\(requests.count) requests")
    }

    private static func errors(_ s3: S3, _ server: Server, _ report: inout Report) async throws {
        let nowhere = ObjectID(bucket: "nowhere", key: "x")
        let file = FileManager.default.temporaryDirectory.appending(path: "s3-\(UUID().uuidString)")
        let thief = S3(
            key: .init(keyID: Server.key.keyID, secret: "guessed"),
            region: Server.region,
            endpoint: server.endpoint
        )
        await report.refusal("NoSuchBucket", "in an unknown bucket") { _ = try await s3.get(nowhere) }
        await report.refusal("NoSuchBucket", "of a list") { for try await _ in s3.objects(in: "nowhere") {} }
        await report.refusal("NoSuchBucket", "of a download") { _ = try await s3.download(nowhere, to: file) }
        await report.refusal("NoSuchKey", "an unknown key") { _ = try await s3.get(.init(bucket: "photos", key: "x")) }
        await report.refusal("BucketNotEmpty", "a bucket in use") { try await s3.deleteBucket("photos") }
        await report.refusal("SignatureDoesNotMatch", "a wrong key") { _ = try await thief.buckets() }
    }
}

extension Report {
    /// Expects an ``S3Error`` with this code.
    mutating func refusal(_ code: String, _ title: String, _ call: () async throws -> Void) async {
        do {
            try await call()
            check(false, title, "was accepted")
        } catch let error as S3Error {
            check(error.code == code, title, error.code)
        } catch {
            check(false, title, "\(error)")
        }
    }
}
