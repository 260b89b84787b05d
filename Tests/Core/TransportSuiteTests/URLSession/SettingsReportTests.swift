import TestPrograms
import TestSupport

@testable import CoreNetKitURLSession

private let reportedHost = ProcessInfo.processInfo.environment["CORENETKIT_REPORT"].flatMap { $0.isEmpty ? nil : $0 }

/// What each setting does on this machine, as a table: for systems that no machine of ours runs.
///
/// `CORENETKIT_REPORT=example.com swift test --filter SettingsReport` asks that host, over TLS, with settings that it must and
/// must not pass. Without the variable nothing is asked.
@Suite(
    "Report of URLSession settings",
    .enabled(if: reportedHost != nil, "CORENETKIT_REPORT names no host"),
    .timeLimit(.minutes(10)),
    .paced
)
struct SettingsReportTests {
    typealias Configuration = URLSessionTransport.Configuration

    private struct Row {
        let setting: String
        let expected: String
        var change: (inout Configuration) throws -> Void
    }

    @Test("prints what each setting does here, and what it should")
    func report() async throws {
        let host = try #require(reportedHost)
        let url = try #require(URL(string: "https://\(host)/"))
        var lines = ["| setting | should be | is |", "|---|---|---|"]
        for row in try rows(host) {
            var configuration = Configuration()
            let found: String
            do {
                try row.change(&configuration)
                found = await outcome(configuration, url)
            } catch {
                found = "could not be tried: \(error)"
            }
            lines.append("| \(row.setting) | \(row.expected) | \(found) |")
        }
        for finding in await TransportConformance.check(URLSessionTransport()) {
            lines.append("| rule \(finding.rule) | \(finding.statement) | \(finding.instead) |")
        }
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        print("URLSessionTransport on \(system), asking \(host)\n" + lines.joined(separator: "\n"))
    }

    private func outcome(_ configuration: Configuration, _ url: URL) async -> String {
        let request = TransportRequest(url: url, timeouts: Timeouts(total: .seconds(30)))
        do {
            let response = try await URLSessionTransport(configuration: configuration).send(request)
            return "\(response.status) over HTTP/\(response.timings.httpVersion ?? "?")"
        } catch let error as TransportError {
            return "\(error.code) in \(error.phase.rawValue)"
        } catch {
            return "\(error)"
        }
    }

    private func rows(_ host: String) throws -> [Row] {
        let directory = try TemporaryFolder()
        let refused = try LoopbackServer.unusedPortURL()
        let wrongPin = Data(count: 32).base64EncodedString()
        return [
            Row(setting: "none", expected: "a status, over HTTP/2 or 3") { _ in },
            Row(setting: "the server's key is pinned", expected: "a status") {
                $0.tls.pinnedKeys = [try Self.openssl(Self.pin(of: host), in: directory)]
            },
            Row(setting: "another key is pinned", expected: "pinMismatch in tls") { $0.tls.pinnedKeys = [wrongPin] },
            Row(setting: "another key is pinned for another host", expected: "a status") {
                $0.hosts["other.invalid"] = .init()
                $0.hosts["other.invalid"]?.pinnedKeys = [wrongPin]
            },
            Row(setting: "the server's certificate is pinned", expected: "a status") {
                $0.tls.pinnedCertificates = [Data(try Self.openssl(Self.certificate(of: host), in: directory).utf8)]
            },
            Row(setting: "an authority of our own alone", expected: "certificateUntrusted in tls") {
                $0.tls.authorities = .certificates([Data(try Self.openssl(Self.ownAuthority, in: directory).utf8)])
            },
            Row(setting: "a PKCS #12 that is none", expected: "clientCertificateRejected in queue") {
                $0.tls.identity = .pkcs12(Data("none".utf8), password: "none")
            },
            Row(setting: "a label that the keychain does not have", expected: "clientCertificateRejected in queue") {
                $0.tls.identity = .keychain(label: UUID().uuidString)
            },
            Row(setting: "TLS 1.3 or better", expected: "a status") { $0.tls.minimumVersion = .tls13 },
            Row(setting: "no proxy", expected: "a status") { $0.proxy = .none },
            Row(setting: "a proxy that is not there", expected: "an error") { $0.proxy = .server(refused) },
            Row(setting: "a proxy that is not there, but not for this host", expected: "a status") {
                $0.proxy = .server(refused, except: [host])
            },
            Row(setting: "waits for a network", expected: "a status") { $0.waitsForConnectivity = true },
            Row(setting: "no cellular, expensive or constrained network", expected: "a status on Wi-Fi or a cable") {
                $0.allowsCellularAccess = false
                $0.allowsExpensiveNetworkAccess = false
                $0.allowsConstrainedNetworkAccess = false
            },
        ]
    }

    private static func certificate(of host: String) -> String {
        "openssl s_client -connect '\(host):443' -servername '\(host)' < /dev/null | openssl x509"
    }

    private static func pin(of host: String) -> String {
        certificate(of: host)
            + " -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64 | tr -d '\\n'"
    }

    private static let ownAuthority =
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out pem -days 2 -subj /CN=report && cat pem"

    private static func openssl(_ script: String, in directory: TemporaryFolder) throws -> String {
        let path = directory.url.path
        try Command.run("/bin/sh", ["-c", "cd '\(path)' && { \(script); } > output"])
        return try String(contentsOfFile: path + "/output", encoding: .utf8)
    }
}
