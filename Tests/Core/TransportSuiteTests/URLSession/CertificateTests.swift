import TestPrograms
import TestSupport

@testable import CoreNetKitURLSession

@Suite(
    "URLSession: certificates and pins",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "needs openssl"),
    .timeLimit(.minutes(10)),
    .paced
)
struct CertificateTests {
    private struct Sample {
        let pem: Data
        let der: Data
        let pin: String

        init(_ key: String = "ed25519") throws {
            let directory = try TemporaryFolder()
            let script = """
                { set -e; cd '\(directory.url.path)'
                openssl req -x509 -newkey \(key) -nodes -keyout key -out pem -days 30 -subj /CN=sample
                openssl x509 -in pem -outform der -out der
                openssl x509 -in pem -pubkey -noout | openssl pkey -pubin -outform der \
                    | openssl dgst -sha256 -binary | openssl base64 | tr -d '\\n' > pin; }
                """
            try Command.run("/bin/sh", ["-c", script])
            pem = try Data(contentsOf: directory["pem"])
            der = try Data(contentsOf: directory["der"])
            pin = try String(contentsOf: directory["pin"], encoding: .utf8)
        }
    }

    private func rule(_ change: (inout URLSessionTransport.Configuration) -> Void) -> TrustRule {
        var configuration = URLSessionTransport.Configuration()
        change(&configuration)
        return TrustRule(configuration)
    }

    @Test(
        "a pin is that of openssl, whatever the kind of key",
        arguments: ["rsa:2048", "ec -pkeyopt ec_paramgen_curve:prime256v1", "ed25519"]
    )
    func pin(_ key: String) throws {
        let sample = try Sample(key)
        let rule = rule { $0.tls.pinnedKeys = [sample.pin] }
        #expect(rule.accepts(sample.der, of: "example.org"))
        let other = self.rule { $0.tls.pinnedKeys = [Data(count: 32).base64EncodedString()] }
        #expect(!other.accepts(sample.der, of: "example.org"))
        #expect(!rule.accepts(nil, of: "example.org"))
    }

    @Test(
        "a whole certificate is pinned in DER or PEM, one of several is enough, and another one of the same key is refused"
    )
    func certificate() throws {
        let (sample, other) = (try Sample(), try Sample())
        for pinned in [sample.der, sample.pem] {
            let rule = rule { $0.tls.pinnedCertificates = [other.der, pinned] }
            #expect(rule.accepts(sample.der, of: "a"))
        }
        #expect(!rule { $0.tls.pinnedCertificates = [other.pem] }.accepts(sample.der, of: "a"))
        let either = rule {
            $0.tls.pinnedCertificates = [other.der]
            $0.tls.pinnedKeys = [sample.pin]
        }
        #expect(either.accepts(sample.der, of: "a") && either.accepts(other.der, of: "a"))
    }

    @Test("a host's pins replace those for all, whatever the case of its name")
    func hosts() throws {
        let (sample, other) = (try Sample(), try Sample())
        let rule = rule {
            $0.tls.pinnedKeys = [sample.pin]
            $0.hosts["api.example.org"] = .init()
            $0.hosts["pay.example.org"] = .init()
            $0.hosts["pay.example.org"]?.pinnedCertificates = [other.der]
        }
        #expect(rule.accepts(sample.der, of: "api.example.org"))
        #expect(rule.accepts(other.der, of: "Pay.example.org") && !rule.accepts(sample.der, of: "pay.example.org"))
        #expect(rule.applies(to: "anything"))
        let alone = self.rule { $0.hosts["pay.example.org"] = .init() }
        #expect(!alone.applies(to: "pay.example.org") && alone.accepts(nil, of: "pay.example.org"))
    }

    @Test("where pins are required a host without one is refused, whatever it shows; a dot at its end is no other host")
    func required() throws {
        let sample = try Sample()
        let rule = rule {
            $0.tls.requiresPins = true
            for name in ["pay.example.org", "[::1]"] {
                $0.hosts[name] = .init()
                $0.hosts[name]?.pinnedKeys = [sample.pin]
            }
        }
        #expect(rule.applies(to: "api.example.org") && !rule.accepts(sample.der, of: "api.example.org"))
        for name in ["pay.example.org", "Pay.example.org.", "::1"] { #expect(rule.accepts(sample.der, of: name)) }
    }

    @Test("a file with several certificates gives all of them; text around them does not count")
    func bundle() throws {
        let (one, two) = (try Sample(), try Sample("rsa:2048"))
        let bundle = Data("# ours\n".utf8) + one.pem + Data("subject=/CN=two\n".utf8) + two.pem
        #expect(Certificates.der(of: bundle) == [one.der, two.der])
        #expect(Certificates.isReadable(bundle) && Certificates.isReadable(one.der))
    }

    @Test("a truncated certificate, or one with changed lengths, is invalid, and nothing is read beyond its end")
    func hostile() throws {
        let sample = try Sample()
        let key = try #require(Certificates.publicKeyInfo(of: sample.der))
        for count in 0..<sample.der.count { #expect(Certificates.publicKeyInfo(of: sample.der.prefix(count)) == nil) }
        for index in sample.der.indices {
            for value: UInt8 in [0x00, 0x30, 0x7F, 0x80, 0x84, 0xFF] {
                var changed = sample.der
                changed[index] = value
                let found = Certificates.publicKeyInfo(of: changed)
                #expect((found?.count ?? 0) <= changed.count)
            }
        }
        #expect(Certificates.publicKeyInfo(of: Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF])) == nil)
        #expect(key.first == 0x30)
        for text in ["", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----"] {
            #expect(!Certificates.isReadable(Data(text.utf8)))
        }
    }
}
