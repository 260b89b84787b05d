#if os(Linux)
    import Foundation
    import TestPrograms

    /// An nginx of one test, with a certificate authority and a loopback address of its own.
    final class Nginx {
        static let isInstalled =
            FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

        /// TLS with HTTP/2, an expired certificate, a wanted client certificate, HTTP/2 without TLS.
        let (good, expired, client, plain) = (44301, 44302, 44303, 44304)
        private let host: String
        private let directory: TemporaryDirectory

        init() throws {
            // Nobody else listens there, so the ports need not be looked for.
            host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
            directory = try TemporaryDirectory()
            let path = directory.url.path
            try Command.run("/bin/sh", ["-c", "cd '\(path)' && host=\(host) && " + Self.certificates])
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(path)/\($0);"
            }
            let answer = #"location / { return 200 "$server_protocol"; }"#
            let configuration = """
                master_process off; pid \(path)/pid; error_log \(path)/error.log;
                events { worker_connections 256; }
                http {
                    access_log off; \(temporary.joined(separator: " "))
                    ssl_certificate \(path)/good.pem; ssl_certificate_key \(path)/good.key;
                    server { listen \(host):\(good) ssl http2; \(answer) }
                    server { listen \(host):\(expired) ssl; ssl_certificate \(path)/expired.pem;
                        ssl_certificate_key \(path)/expired.key; \(answer) }
                    server { listen \(host):\(client) ssl; ssl_client_certificate \(path)/ca.pem;
                        ssl_verify_client on; \(answer) }
                    server { listen \(host):\(plain) http2; \(answer) }
                }
                """
            let file = try directory.file(Data(configuration.utf8), name: "nginx.conf")
            // Returns when it listens.
            try Command.run("/usr/sbin/nginx", ["-c", file.path, "-p", path])
        }

        deinit {
            let pid = (try? text("pid")).flatMap { pid_t($0.prefix { $0.isNumber }) }
            if let pid { kill(pid, SIGKILL) }
        }

        func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }

        func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

        func url(_ port: Int, scheme: String = "https") throws -> URL {
            guard let url = URL(string: "\(scheme)://\(host):\(port)/") else { throw Failed() }
            return url
        }

        private static let certificates = """
            { set -e; new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
            openssl req -x509 $new -keyout ca.key -out ca.pem -days 30 -subj /CN=SuiteCA
            printf "subjectAltName=IP:$host" > names
            for name in good expired client; do
                openssl req $new -keyout $name.key -out $name.csr -subj /CN=localhost
                days=30; [ $name = expired ] && days=-1
                openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $days \
                    -extfile names -out $name.pem
            done
            openssl x509 -in good.pem -pubkey -noout | openssl pkey -pubin -outform der \
                | openssl dgst -sha256 -binary | openssl base64 | tr -d '\\n' > pin; }
            """

        private struct Failed: Error {}
    }
#endif
