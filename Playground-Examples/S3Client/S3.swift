import CoreNetKit
import CoreNetKitSignatures
import CoreNetKitStreams
import Foundation

/// The interface of S3: buckets, objects, uploads in parts and downloads that resume.
///
/// What the server refuses is thrown as an ``S3Error``.
struct S3: Sendable {
    private let client: Client

    init(key: AWSSignature.Credentials, region: String, endpoint: URL) {
        let origins = TokenRefresher.Origins.only([endpoint.absoluteString])
        client = Client(base: endpoint)
            .standard()
            .signature(AWSSignature(service: "s3", region: region, origins: origins) { key })
            .mapFailure { S3Error(try XML(parsing: $0.body)) }
    }
}

// MARK: - Buckets

extension S3 {
    func buckets() async throws -> [String] {
        let list: BucketList = try await client.route(.get, "/").build().call()
        return list.names
    }

    func createBucket(_ name: String) async throws {
        try await client.route(.put, "/\(name)").build().call()
    }

    func deleteBucket(_ name: String) async throws {
        try await client.route(.delete, "/\(name)").build().call()
    }

    func objects(in bucket: String, prefix: String = "", pageSize: Int = 1000) -> Pages<Listing> {
        client.route(.get, "/\(bucket)")
            .set(query: ["list-type": 2, "prefix": prefix, "max-keys": pageSize])
            .pages(.cursor(\.next, as: "continuation-token"), reading: .model)
    }
}

// MARK: - Objects

extension S3 {
    func put(_ content: Data, to object: ObjectID, type: String = "application/octet-stream") async throws {
        try await client.route(.put, "/\(object)").set(body: .bytes(content), type: type).build().call()
    }

    func get(_ object: ObjectID) async throws -> Data {
        try await client.route(.get, "/\(object)").loadData().call()
    }

    func get(_ bytes: ClosedRange<Int>, of object: ObjectID) async throws -> Data {
        try await client.route(.get, "/\(object)")
            .add(header: "Range", "bytes=\(bytes.lowerBound)-\(bytes.upperBound)")
            .loadData().call()
    }

    /// `nil` if there is no such object: a response to HEAD has no content that says more.
    func info(_ object: ObjectID) async throws -> ObjectInfo? {
        do {
            let response: Response<Void> = try await client.route(.head, "/\(object)").build().call()
            return ObjectInfo(response.headers)
        } catch let error as NetworkError where error.code == .notFound {
            return nil
        }
    }

    func copy(_ source: ObjectID, to target: ObjectID) async throws -> CopiedObject {
        try await client.route(.put, "/\(target)").add(header: "x-amz-copy-source", source.escaped).build().call()
    }

    func delete(_ object: ObjectID) async throws {
        try await client.route(.delete, "/\(object)").build().call()
    }

    /// A connection that breaks costs what was on its way: the rest is requested, also by another process.
    func download(_ object: ObjectID, to file: URL) async throws -> Download {
        try await client.route(.get, "/\(object)").download(to: file, resume: .automatic).call()
    }
}

// MARK: - Uploads in parts

extension S3 {
    /// Sends four parts at a time; nothing remains on the server if one of them fails.
    func upload(_ file: URL, to object: ObjectID, partSize: Int64 = 8 << 20) async throws -> CompletedUpload {
        let upload: StartedUpload = try await client.route(.post, "/\(object)").set(query: ["uploads": ""]).build()
            .call()
        do {
            let parts = try await send(FileParts(of: file, size: partSize), of: upload, to: object)
            return try await client.route(.post, "/\(object)").set(query: ["uploadId": upload.id]).build().call(parts)
        } catch {
            try? await client.route(.delete, "/\(object)").set(query: ["uploadId": upload.id]).build().call()
            throw error
        }
    }

    private func send(_ file: FileParts, of upload: StartedUpload, to object: ObjectID) async throws -> SentParts {
        try await withThrowingTaskGroup(of: SentParts.Part.self) { group in
            var sent: [SentParts.Part] = []
            for number in 1...file.count {
                if number > 4, let part = try await group.next() { sent.append(part) }
                group.addTask {
                    let response: Response<Void> = try await client.route(.put, "/\(object)")
                        .set(query: ["partNumber": number, "uploadId": upload.id])
                        .set(body: file.part(number))
                        .build().call()
                    return .init(number: number, tag: response.headers["ETag"] ?? "")
                }
            }
            for try await part in group { sent.append(part) }
            return SentParts(parts: sent.sorted { $0.number < $1.number })
        }
    }
}
