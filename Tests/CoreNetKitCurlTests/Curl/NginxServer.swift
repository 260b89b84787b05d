#if os(Linux)
    import Foundation
    import TestPrograms

    /// An nginx for one test, on Unix domain sockets: TLS and HTTP/2 without ports and with any host name.
    final class NginxServer {
        static let isInstalled =
            FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

        let directory: URL

        /// Starts it with these servers: the text of `server` blocks, `DIR` standing for the directory.
        init(_ servers: String) throws {
            directory = FileManager.default.temporaryDirectory.appending(
                path: "ngx-\(UInt32.random(in: .min ... .max))"
            )
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Certificates.shared.get().copy(to: directory)
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

        func path(_ name: String) -> String { directory.appending(path: name).path }

        /// A port that was free a moment ago, for cases where a Unix domain socket does not suffice.
        static func freePort() throws -> Int {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
                }
            }
            guard descriptor >= 0, result == 0 else { throw Command.Failed(command: "bind", status: errno) }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }

    /// A certificate authority and what it signed, created once for a test run.
    struct Certificates {
        static let shared = Result { try Certificates() }

        private let files: [String: Data]

        private init() throws {
            let directory = FileManager.default.temporaryDirectory.appending(
                path: "ca-\(UInt32.random(in: .min ... .max))"
            )
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let script = """
                set -e
                new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
                openssl req -x509 $new -keyout ca.key -out ca.pem -days 30 -subj /CN=TestCA
                openssl req -x509 $new -keyout alone.key -out alone.pem -days 30 -subj /CN=good.test \
                    -addext subjectAltName=DNS:good.test
                printf 'subjectAltName=DNS:good.test' > names
                for name in good expired client revoked; do
                    openssl req $new -keyout $name.key -out $name.csr -subj /CN=good.test
                    days=30; [ $name = expired ] && days=-1
                    openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $days \
                        -extfile names -out $name.pem
                done
                openssl x509 -in good.pem -pubkey -noout | openssl pkey -pubin -outform der \
                    | openssl dgst -sha256 -binary | openssl base64 | tr -d '\\n' > pin
                printf '[ca]\ndefault_ca=d\n[d]\ndatabase=index\ncrlnumber=number\ndefault_md=sha256\n' > ca.cnf
                printf 'default_crl_days=30\n' >> ca.cnf
                : > index; printf 01 > number
                openssl ca -config ca.cnf -cert ca.pem -keyfile ca.key -revoke revoked.pem
                openssl ca -config ca.cnf -cert ca.pem -keyfile ca.key -gencrl -out crl.pem
                rm -f *.csr names ca.cnf index* number*
                """
            try Command.run("/bin/sh", ["-c", "cd '\(directory.path)' && { \(script)\n}"])
            var files: [String: Data] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                files[name] = try Data(contentsOf: directory.appending(path: name))
            }
            self.files = files
        }

        func copy(to directory: URL) throws {
            for (name, content) in files { try content.write(to: directory.appending(path: name)) }
        }

        func data(_ name: String) -> Data { files[name] ?? Data() }

        /// Base64 of the SHA-256 of the good certificate's public key.
        var pin: String { String(decoding: data("pin"), as: UTF8.self) }
    }
#endif
