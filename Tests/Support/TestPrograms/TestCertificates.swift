package import Foundation

/// A certificate authority and what it signed, for servers of tests.
package struct TestCertificates {
    /// Those of the host `good.test`, created once for a test run.
    package static let shared = Result { try TestCertificates(name: "DNS:good.test") }

    private let files: [String: Data]

    /// - Parameter name: The alternative name of all of them, as OpenSSL writes it: `DNS:good.test`, `IP:127.0.0.1`.
    /// - Throws: `Command.Failed`, or the error of a file.
    package init(name: String) throws {
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
            printf 'subjectAltName=\(name)' > names
            for name in good expired client revoked; do
                openssl req $new -keyout $name.key -out $name.csr -subj /CN=good.test
                days=30; [ $name = expired ] && days=-1
                openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $days \
                    -extfile names -out $name.pem
            done
            openssl req $new -keyout common.key -out common.csr -subj /CN=good.test
            openssl x509 -req -in common.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -out common.pem
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

    package func copy(to directory: URL) throws {
        for (name, content) in files { try content.write(to: directory.appending(path: name)) }
    }

    package func data(_ name: String) -> Data { files[name] ?? Data() }

    /// Base64 of the SHA-256 of the good certificate's public key.
    package var pin: String { String(decoding: data("pin"), as: UTF8.self) }
}
