import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSignatures
import Foundation

/// A multipart upload to a server that is compatible with S3: each request is signed, and each part is retried on its own.
@main
struct SignedUpload {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/bucket/big%20file", .text("<UploadId>7</UploadId>"), .text("<ETag>\"all\"</ETag>"))
        server.on(.put, "/bucket/big%20file") { request in
            guard request.headers["Authorization"] != nil else { return .status(403) }
            return LoopbackResponse.ok.header("ETag", "\"part-\(request.query("partNumber") ?? "")\"")
        }
        let origin = server.url.absoluteString
        let signature = AWSSignature(service: "s3", region: "us-east-1", origins: .only([origin])) {
            .init(keyID: "AKIDEXAMPLE", secret: "secret")
        }
        let client = Client(base: origin + "/bucket").retry(.standard).signature(signature)

        let key = "big file"
        let created: String = try await client.route(.post, "/\(key)").set(query: ["uploads": ""]).build().call()
        let id = String(created.firstMatch(of: #/<UploadId>(.*?)</#)?.1 ?? "")
        let parts = [Data(repeating: 1, count: 1 << 20), Data(repeating: 2, count: 1 << 20), Data("the end".utf8)]
        var list = ""
        for (index, part) in parts.enumerated() {
            let send: Chain<Data, Response<Void>> = client.route(.put, "/\(key)")
                .set(query: ["partNumber": index + 1, "uploadId": id]).build()
            let tag = try await send.call(part).headers["ETag"] ?? ""
            list += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let complete: Chain<String, String> = client.route(.post, "/\(key)").set(query: ["uploadId": id]).build()
        let done = try await complete.call("<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>")
        print(done, server.requests.map { "\($0.method) \($0.target)" })
        print(try await signature.presignedURL(server.url("/bucket/big%20file"), lifetime: .seconds(60)))
    }
}
