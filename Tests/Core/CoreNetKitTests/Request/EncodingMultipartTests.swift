import TestSupport

@Suite("Multipart", .timeLimit(.minutes(10)), .paced)
struct EncodingMultipartTests {
    @Test("writes fields and files in their order, byte for byte")
    func golden() throws {
        let model = MultipartModel([
            .field("title", "Grüße"),
            .field("meta", Data("{}".utf8), mimetype: "application/json"),
            .file("photos", .data(data: Data([0, 13, 10, 255]), filename: "a.png", mimetype: "image/png")),
            .file("photos", .data(data: Data(), filename: "empty.txt", mimetype: "text/plain")),
        ])
        let (contentType, body) = try model.encoded(boundary: "b-1")
        #expect(contentType == "multipart/form-data; boundary=b-1")
        var expected = Data(
            """
            --b-1\r
            Content-Disposition: form-data; name="title"\r
            \r
            Grüße\r
            --b-1\r
            Content-Disposition: form-data; name="meta"\r
            Content-Type: application/json\r
            \r
            {}\r
            --b-1\r
            Content-Disposition: form-data; name="photos"; filename="a.png"\r
            Content-Type: image/png\r
            \r\n
            """.utf8
        )
        expected += Data([0, 13, 10, 255])
        expected += Data(
            """
            \r
            --b-1\r
            Content-Disposition: form-data; name="photos"; filename="empty.txt"\r
            Content-Type: text/plain\r
            \r
            \r
            --b-1--\r\n
            """.utf8
        )
        #expect(body.data == expected)
    }

    @Test("a form without parts is only its end")
    func empty() throws {
        #expect(try MultipartModel().encoded(boundary: "b").body.data == Data("--b--\r\n".utf8))
    }

    @Test("accepts the ancestor's dictionaries, in the order of their names")
    func dictionaries() {
        let file = MultipartFileProvider.data(data: Data(), filename: "f", mimetype: "text/plain")
        let model = MultipartModel(payloadModel: ["b": Data("2".utf8), "a": Data("1".utf8)], files: ["0": file])
        #expect(model == MultipartModel([.field("a", "1"), .field("b", "2"), .file("0", file)]))
    }

    @Test(
        "escapes names and file names as browsers do",
        arguments: [
            ("a\"b", "a%22b", "a%22b"), ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
            ("a\nb", "a%0D%0Ab", "a%0Ab"), ("a\rb", "a%0D%0Ab", "a%0Db"),
            ("\r\n\n", "%0D%0A%0D%0A", "%0D%0A%0A"), ("a\\b;c=d%22", "a\\b;c=d%22", "a\\b;c=d%22"),
            ("имя ☺", "имя ☺", "имя ☺"),
        ]
    )
    func escaping(text: String, name: String, filename: String) throws {
        let model = MultipartModel([.file(text, .data(data: Data(), filename: text, mimetype: "text/plain"))])
        let bytes = try #require(try model.encoded(boundary: "b").body.data)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines[1] == "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(filename)\"")
    }

    @Test(
        "refuses an invalid boundary, or one that occurs in a part",
        arguments: ["", "a b", "a\r\n", "\"", "in-part", String(repeating: "a", count: 71)]
    )
    func badBoundary(boundary: String) {
        let model = MultipartModel([.field("a", "x--in-part-x")])
        #expect(throws: RequestEncodingError.self) { try model.encoded(boundary: boundary) }
    }

    @Test("a random boundary is different each time, and valid")
    func randomBoundary() throws {
        let types = try Set((0..<50).map { _ in try MultipartModel().encoded().contentType })
        #expect(types.count == 50)
        let prefix = "multipart/form-data; boundary="
        for type in types {
            let boundary = String(type.dropFirst(prefix.count))
            #expect(type.hasPrefix(prefix))
            #expect(throws: Never.self) { try MultipartModel().encoded(boundary: boundary) }
        }
    }

    @Test("refuses a media type that would start another header")
    func mediaType() {
        let model = MultipartModel([.field("a", Data(), mimetype: "text/plain\r\nX-Evil: 1")])
        let error = #expect(throws: RequestEncodingError.self) { try model.encoded() }
        #expect(error?.path == "a")
    }

    @Test("streams files with an exact length, each time from the beginning", arguments: [0, 1, 65_536, 200_000])
    func files(size: Int) async throws {
        let content = Data.numbered(size)
        try await withFile(named: "ph oto.JPG", content) { url in
            let model = MultipartModel([
                .field("a", "1"), .file("f", .url(url: url)),
                .file("g", .customWithUrl(url: url, filename: "x.bin", mimetype: "application/x")), .field("z", "2"),
            ])
            let inMemory = MultipartModel([
                .field("a", "1"), .file("f", .data(data: content, filename: "ph oto.JPG", mimetype: "image/jpeg")),
                .file("g", .data(data: content, filename: "x.bin", mimetype: "application/x")), .field("z", "2"),
            ])
            let body = try model.encoded(boundary: "b").body
            let expected = try #require(try inMemory.encoded(boundary: "b").body.data)
            #expect(body.streamLength == Int64(expected.count))
            #expect(body.isReplayable)
            for _ in 0..<2 {
                var received = Data()
                try await read(body) { chunk in
                    #expect(!chunk.isEmpty && chunk.count <= 65_536)
                    received += chunk
                }
                #expect(received == expected)
            }
        }
    }

    @Test("a file that grows or shrinks while it is sent is an error, and its promised length is never exceeded")
    func changingFile() async throws {
        try await withFile(named: "f.txt", Data("12345".utf8)) { url in
            let body = try MultipartModel([.file("f", .url(url: url))]).encoded(boundary: "b").body
            try Data("123456789".utf8).write(to: url)
            var received = Data()
            let grown = await #expect(throws: RequestEncodingError.self) { try await read(body) { received += $0 } }
            #expect(Int64(received.count) < body.streamLength ?? 0)
            #expect(grown?.description.hasSuffix("became longer while it was sent") == true)
            try Data("12".utf8).write(to: url)
            let error = await #expect(throws: RequestEncodingError.self) { try await read(body) }
            #expect(error?.description.hasPrefix("f: the file ") == true)
            #expect(error?.description.hasSuffix("became shorter while it was sent") == true)
            try FileManager.default.removeItem(at: url)
            let missing = await #expect(throws: RequestEncodingError.self) { try await read(body) }
            #expect(missing?.description.contains("cannot be read: No such file") == true)
        }
    }

    #if os(Linux)
        @Test("a file of /proc, which says that it is empty, is read to its end, and the length is not promised")
        func unsized() async throws {
            let version = URL(filePath: "/proc/version")
            let content = try #require(FileManager.default.contents(atPath: version.path))
            let body = try MultipartModel([.file("f", .url(url: version)), .field("a", "b")]).encoded(boundary: "b")
                .body
            #expect(body.streamLength == nil && !content.isEmpty)
            for _ in 0..<2 {
                var received = Data()
                try await read(body) { received += $0 }
                #expect(received.contains(content) && received.suffix(7) == Data("--b--\r\n".utf8))
            }
        }
    #endif

    @Test("names the part whose file cannot be read")
    func unreadableFiles() throws {
        let table: [(URL, String)] = [
            (URL(filePath: "/no/such/file"), "a: the file /no/such/file cannot be read: No such file"),
            (URL(filePath: "/"), "a: the file / is not a regular file"),
            (try #require(URL(string: "https://h/a")), "a: a part's URL must be that of a file"),
        ]
        for (url, message) in table {
            let model = MultipartModel([.file("a", .url(url: url))])
            let error = #expect(throws: RequestEncodingError.self) { try model.encoded() }
            #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
        }
    }

    @Test("stops reading when its task is cancelled")
    func cancellation() async throws {
        try await withFile(named: "f", Data(count: 10)) { url in
            let body = try MultipartModel([.file("f", .url(url: url))]).encoded().body
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await read(body)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    /// Reads a streamed body from its beginning.
    private func read(_ body: RequestBody, _ take: (Data) -> Void = { _ in }) async throws {
        for try await chunk in try #require(body.openStream()) { take(chunk) }
    }

    private func withFile(named name: String, _ content: Data, _ body: (URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try await body(try folder.file(content, name: name))
    }
}
