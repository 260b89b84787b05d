#if os(Linux)
    package import Foundation

    /// An nginx for one test: on Unix domain sockets it has TLS and HTTP/2 without ports and with any host name.
    package final class NginxServer {
        package static let isInstalled =
            FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

        package let directory: URL

        /// Starts it with the text of `server` blocks, `DIR` standing for the directory, in which the certificates are.
        package init(_ servers: String, certificates: TestCertificates? = nil) throws {
            let name = "ngx-\(UInt32.random(in: .min ... .max))"
            directory = FileManager.default.temporaryDirectory.appending(path: name)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try (certificates ?? TestCertificates.shared.get()).copy(to: directory)
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path DIR/\($0);" }
            let configuration = """
                pid DIR/pid; error_log DIR/error.log; worker_processes 1; user root;
                events { worker_connections 1024; }
                http {
                    access_log off; \(temporary.joined(separator: " ")) client_max_body_size 0;
                    ssl_certificate DIR/good.pem; ssl_certificate_key DIR/good.key;
                    \(servers)
                }
                """
            let file = directory.appending(path: "nginx.conf")
            try configuration.replacingOccurrences(of: "DIR", with: directory.path)
                .write(to: file, atomically: true, encoding: .utf8)
            // Returns when it listens.
            try Command.run("/usr/sbin/nginx", ["-c", file.path, "-p", directory.path])
        }

        deinit {
            let text = try? String(contentsOf: directory.appending(path: "pid"), encoding: .utf8)
            // The files first: nginx removes its own while it ends.
            try? FileManager.default.removeItem(at: directory)
            if let pid = text.flatMap({ pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
                kill(pid, SIGTERM)
            }
        }

        package func path(_ name: String) -> String { directory.appending(path: name).path }
    }
#endif
