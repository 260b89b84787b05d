import PushServersMock
import TestPrograms
import TestSupport

@Suite("Kore: the mock server with plain curl", .timeLimit(.minutes(10)), Curl.isNeeded, .paced)
struct KoreServerCurlTests {
    private static let json = ["-H", "Content-Type: application/json", "-d", #"{"deviceId":"a1b2","osType":"ios"}"#]

    static let rows: [(KorePushServer.RequestFormat, [String])] = [
        (.json, ["-X", "POST"] + json), (.form, ["-X", "POST", "-d", "deviceId=a1b2&osType=ios"]),
        (.deleteJSON, ["-X", "DELETE", "-H", "Content-Type: application/json", "-d", #"{"deviceId":"a1b2"}"#]),
        (.deleteQuery, ["-X", "DELETE"]), (.postOverride, ["-H", "X-HTTP-Method-Override: DELETE"] + json),
    ]

    @Test("every variant and path is understood, and recorded as such", arguments: rows)
    func variant(_ format: KorePushServer.RequestFormat, _ arguments: [String]) async throws {
        for folder in ["", "sdknotifications/"] {
            let world = try KoreWorld()
            let authorized = ["-H", "Authorization: bearer good"]
            let base = "/api/users/u-1/\(folder)"
            let isOn = format == .json || format == .form
            if !isOn {
                let url = world.server.url(base + "subscribe").absoluteString
                let first = try await Curl.run(Self.json + authorized + [url])
                #expect(first == #"{"status":true} 200"#)
            }
            let query = format == .deleteQuery ? "?deviceId=a1b2&osType=ios" : ""
            let url = world.server.url(base + (isOn ? "subscribe" : "unsubscribe") + query).absoluteString
            #expect(try await Curl.run(arguments + authorized + [url]) == #"{"status":true} 200"#)
            #expect(world.kore.exchanges.last?.requestFormat == format)
            #expect(world.kore.devices(of: "u-1") == (isOn ? ["a1b2"] : []))
            if !isOn { #expect(try await Curl.run(arguments + authorized + [url]).hasSuffix("404")) }
        }
    }

    @Test(
        "what is missing or wrong is refused",
        arguments: [
            ([], 401, "MISSING_AUTHORIZATION"),
            (["-H", "Authorization: Bearer bad"], 401, "INVALID_TOKEN"),
            (["-H", "Authorization: Bearer slash"], 403, "FORBIDDEN"),
            (["-H", "Authorization: Bearer good"], 400, "INVALID_DEVICE"),
            (["-H", "Authorization: Bearer good", "-d", "deviceId=A1B2&osType=ios"], 400, "INVALID_DEVICE"),
            (["-H", "Authorization: Bearer good", "-d", "deviceId=a1b&osType=ios"], 400, "INVALID_DEVICE"),
            (["-H", "Authorization: Bearer good", "-d", "deviceId=a1b2"], 400, "INVALID_OS_TYPE"),
            (["-H", "Authorization: Bearer good", "-H", "Content-Type: application/json"], 400, "INVALID_REQUEST"),
        ] as [([String], Int, String)]
    )
    func refused(_ arguments: [String], _ status: Int, _ code: String) async throws {
        let world = try KoreWorld()
        let url = world.server.url("/api/users/u-1/subscribe").absoluteString
        let reply = try await Curl.run(["-d", "x=1"] + arguments + [url])
        #expect(reply.hasSuffix(" \(status)"))
        #expect(reply.contains(code))
    }
}
