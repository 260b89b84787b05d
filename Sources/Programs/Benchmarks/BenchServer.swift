import CPlainCurl
import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// The server of the benchmarks, in a process of its own: nginx if it is installed, else a loopback server.
final class BenchServer {
    static let hello =
        #"{"id":7,"name":"hello","tags":["a","b","c"],"owner":{"id":1,"name":"Ada","email":"ada@example.com"},"#
        + #""items":[{"sku":"s-1","count":2},{"sku":"s-2","count":5},{"sku":"s-3","count":9}],"total":16,"ok":true}"#
    static let blobSize = 100 << 20
    static let largeSize = 1 << 30

    let name: String
    let base: URL
    /// The same server over HTTP/2 and TLS, with a self-signed certificate.
    let secure: URL?
    private let process: Process
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "corenetkit-bench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let nginx = ["/usr/sbin/nginx", "/usr/local/sbin/nginx"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        if let nginx {
            name = "nginx"
            // Two ports that are free.
            let servers = [try LoopbackServer(), try LoopbackServer()]
            let (port, securePort) = (servers[0].port, servers[1].port)
            for server in servers { server.stop() }
            let hasCertificate = Self.makeCertificate(in: folder)
            try Self.configuration(port: port, securePort: hasCertificate ? securePort : nil)
                .write(to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
            try Self.hello.write(to: folder.appending(path: "hello"), atomically: true, encoding: .utf8)
            try Data(count: Self.blobSize).write(to: folder.appending(path: "blob"))
            // A sparse file takes no disk blocks: only its reader is measured.
            try Data().write(to: folder.appending(path: "large"))
            truncate(folder.appending(path: "large").path(), Self.largeSize)
            process = Process(nginx, ["-p", folder.path(), "-c", "nginx.conf", "-g", "daemon off;"])
            process.standardError = FileHandle.nullDevice
            try process.run()
            base = try Self.url("http", port)
            secure = hasCertificate ? try Self.url("https", securePort) : nil
            try waitUntilItResponds()
        } else {
            name = "loopback server"
            secure = nil
            let started = try Process.server("serve")
            (process, base) = (started.0, try Self.url("http", started.port))
        }
    }

    func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String) -> URL { base.appending(path: path) }

    /// Runs in the child process: serves until it is terminated, at most ten minutes.
    static func serve() async throws {
        let server = try LoopbackServer(recording: .off)
        server.on(.get, "/hello", .json(hello))
        for path in ["/sink", "/discard"] { server.on(.post, path, .status(200)) }
        let chunk = Data(count: 1 << 18)
        for (path, size) in [("/blob", blobSize), ("/large", largeSize)] {
            server.on(.get, path) { _ in .stream(length: size) { index in index < size / chunk.count ? chunk : nil } }
        }
        server.on(.get, "/slow", LoopbackResponse.json(hello).delayed(by: .seconds(1)))
        print(server.port)
        fflush(nil)
        try await Task.sleep(for: .seconds(600))
    }

    private static func configuration(port: Int, securePort: Int?) -> String {
        let tls = securePort.map {
            "listen 127.0.0.1:\($0) ssl http2; ssl_certificate cert.pem; ssl_certificate_key key.pem;"
        }
        return """
            worker_processes 1;
            error_log /dev/null;
            pid nginx.pid;
            events { worker_connections 20000; }
            http {
                access_log off;
                sendfile on;
                tcp_nodelay on;
                keepalive_requests 100000000;
                http2_max_concurrent_streams 256;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                client_max_body_size 0;
                client_body_buffer_size 16m;
                open_file_cache max=10;
                server {
                    listen 127.0.0.1:\(port) backlog=16384;
                    \(tls ?? "")
                    root .;
                    default_type application/json;
                    location = /sink { proxy_pass http://127.0.0.1:\(port)/discard; proxy_request_buffering on; }
                    location = /discard { return 200; }
                }
            }
            """
    }

    private static func makeCertificate(in folder: URL) -> Bool {
        let words =
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
            + " -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem"
        let openssl = Process("/usr/bin/openssl", words.split(separator: " ").map(String.init))
        openssl.currentDirectoryURL = folder
        openssl.standardError = FileHandle.nullDevice
        guard (try? openssl.run()) != nil else { return false }
        openssl.waitUntilExit()
        return openssl.terminationStatus == 0
    }

    var certificate: URL { folder.appending(path: "cert.pem") }

    static func url(_ scheme: String, _ port: Int) throws -> URL {
        guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return url
    }

    private func waitUntilItResponds() throws {
        for _ in 0..<200 {
            if plain_easy_get(url("hello").absoluteString, 1, nil) == 0 { return }
            usleep(20_000)
        }
        throw URLError(.cannotConnectToHost)
    }
}

extension Process {
    convenience init(_ path: String, _ words: [String]) {
        self.init()
        (executableURL, arguments) = (URL(fileURLWithPath: path), words)
    }

    /// Starts this program as a server, which prints its port.
    static func server(_ command: String) throws -> (Process, port: Int) {
        let (process, output) = (Process(CommandLine.arguments[0], [command]), Pipe())
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkFailure("\(command) did not start")
        }
        return (process, port)
    }

    func stop() {
        terminate()
        waitUntilExit()
    }
}
