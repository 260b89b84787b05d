#if os(Linux)
    import CoreNetKitFleet
    import TestSupport
    import TestPrograms

    /// A server of one test, as others have written it: on a Unix domain socket and on a port of the system's choice.
    ///
    /// It ends with the test, and by itself after five minutes.
    final class RealServer {
        /// Those that are installed, Debian's `redis-server` for one.
        static let programs = ["redis-server", "valkey-server"].filter { path(of: $0) != nil }
        static let missing: Comment = "neither redis-server nor valkey-server is installed"
        static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

        private static func path(of program: String) -> String? {
            ["/usr/bin", "/usr/local/bin", "/usr/sbin"].map { "\($0)/\(program)" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }

        let directory: URL
        /// An address of its own: a port that is free there stays free.
        let host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
        let port: Int
        let tlsPort: Int
        private let program: String
        private var options: [String] = []
        private var pid: pid_t = 0

        var unix: ValkeyStore.Server { .unix(path("s")) }
        var tcp: ValkeyStore.Server { .tcp(host, port: port) }
        var tls: ValkeyStore.Server {
            var trust = ValkeyStore.TLS()
            trust.authorities = .file(path("ca.pem"))
            return .tls(host, port: tlsPort, trust)
        }

        /// Starts one: its data may outlive it, and it may have a port of TLS, too.
        init(
            _ program: String = programs[0],
            keepsData: Bool = false,
            isEncrypted: Bool = false,
            _ options: [String] = []
        ) throws {
            self.program = try Self.path(of: program).orThrow("\(program) is not installed")
            directory = URL(filePath: "/tmp/cnk-\(UInt32.random(in: .min ... .max))")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            (port, tlsPort) = (try FreePort.find(), try FreePort.find())
            self.options = options + (keepsData ? ["--appendonly", "yes", "--appendfsync", "always"] : [])
            if isEncrypted {
                try TestCertificates(name: "IP:\(host)").copy(to: directory)
                self.options += ["--tls-port", "\(tlsPort)", "--tls-auth-clients", "no"]
                self.options += ["--tls-cert-file", path("good.pem"), "--tls-key-file", path("good.key")]
                self.options += ["--tls-ca-cert-file", path("ca.pem")]
            }
            try start()
        }

        deinit {
            kill()
            try? FileManager.default.removeItem(at: directory)
        }

        func path(_ name: String) -> String { directory.appending(path: name).path }

        /// Starts it, or starts it again; returns when it takes connections.
        func start() throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/timeout")
            process.arguments =
                ["-s", "KILL", "300", program, "--bind", host, "--port", "\(port)", "--save", ""]
                + ["--unixsocket", path("s"), "--dir", directory.path, "--pidfile", path("pid"), "--daemonize", "no"]
                + options
            let output = Pipe()
            (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
            process.standardError = FileHandle.nullDevice
            try process.run()
            var said = ""
            while !said.contains("eady to accept connections") {
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { throw Failed(said) }
                said += String(decoding: bytes, as: UTF8.self)
            }
            let text = try String(contentsOf: directory.appending(path: "pid"), encoding: .utf8)
            pid = try pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)).orThrow("no pid in \(text)")
            // It says little from now on, and nobody waits for that. A thread of its own: a handler of Foundation's is a
            // dispatch source, which must not outlive its descriptor, and crashes the process where it does.
            let rest = output.fileHandleForReading
            _ = DetachedThread.start { while !rest.availableData.isEmpty {} }
        }

        /// Stops it where it is: connections stay open, and nothing is said.
        func pause() { Foundation.kill(pid, SIGSTOP) }

        func resume() { Foundation.kill(pid, SIGCONT) }

        func kill() {
            guard pid > 0 else { return }
            Foundation.kill(pid, SIGKILL)
            // Its ports are free when it is gone, which its parent finds out.
            while Foundation.kill(pid, 0) == 0 { sched_yield() }
            pid = 0
        }

        struct Failed: Error, CustomStringConvertible {
            let description: String
            init(_ description: String) { self.description = description }
        }
    }

    extension Trait where Self == ConditionTrait {
        static var needsServer: Self { .enabled(if: !RealServer.programs.isEmpty, RealServer.missing) }
        static var needsProgram: Self { .enabled(if: FleetChild.program != nil) }
    }

    extension Optional {
        fileprivate func orThrow(_ message: String) throws -> Wrapped {
            guard let self else { throw RealServer.Failed(message) }
            return self
        }
    }
#endif
