#if os(Linux)
    import Foundation
    import TestPrograms

    /// An nginx of one test that speaks TLS at a Unix domain socket, and passes WebSockets on to another one.
    final class TLSFront: Sendable {
        static let isInstalled =
            FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

        /// Where it listens.
        let path: String
        /// Its certificate for `good.test`, which nobody else has signed.
        let certificate: Data
        private let directory: URL

        init(before server: String) throws {
            directory = FileManager.default.temporaryDirectory.appending(
                path: "tls-\(UInt32.random(in: .min ... .max))"
            )
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let place = directory.path
            path = place + "/tls"
            try Command.run(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=good.test", "-addext", "subjectAltName=DNS:good.test",
                    "-keyout", place + "/key.pem", "-out", place + "/good.pem",
                ]
            )
            certificate = try Data(contentsOf: directory.appending(path: "good.pem"))
            let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(place)/\($0);" }
            let configuration = """
                pid \(place)/pid; error_log \(place)/error.log; worker_processes 1; user root;
                events { worker_connections 64; }
                http {
                    access_log off; \(folders.joined(separator: " "))
                    ssl_certificate \(place)/good.pem; ssl_certificate_key \(place)/key.pem;
                    server {
                        listen unix:\(path) ssl;
                        location / {
                            proxy_pass http://unix:\(server); proxy_http_version 1.1;
                            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;
                        }
                    }
                }
                """
            let file = directory.appending(path: "nginx.conf")
            try configuration.write(to: file, atomically: true, encoding: .utf8)
            // Returns when it listens.
            try Command.run("/usr/sbin/nginx", ["-c", file.path, "-p", place])
        }

        deinit {
            let text = try? String(contentsOf: directory.appending(path: "pid"), encoding: .utf8)
            try? FileManager.default.removeItem(at: directory)
            if let pid = text.flatMap({ pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
                kill(pid, SIGTERM)
            }
        }
    }
#endif
