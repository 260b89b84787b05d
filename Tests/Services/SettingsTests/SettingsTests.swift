import TestSupport

@Suite("Numbers of settings", .timeLimit(.minutes(10)), .paced)
struct SettingsTests {
    static let rows = coreRows + featureRows + streamRows + serviceRows

    @Test("an extreme number is an error or a stated limit, and no trap or hang", arguments: rows)
    func extremes(row: SettingRow) async throws {
        let usual = Extreme(-1, 0)
        #expect(await row.ends(usual))
        #expect(usual.numbers > 0)
        for target in 0..<usual.numbers {
            for kind in 0..<Extreme.count {
                let extreme = Extreme(target, kind)
                #expect(await row.ends(extreme), "\(row.testDescription): \(extreme)")
            }
        }
    }

    /// What is measured, received or shown: no program sets it to change what another one does.
    static let told: Set<String> = [
        "ActiveRequests", "Alarm", "AlarmActionResult", "AlarmBadge", "AlarmEntry",
        "AlarmList.sendNotificationActionToServer(sequence:action:successAfter:)", "AlarmServer", "AlarmSnapshot",
        "CacheCounts", "CacheEdit", "CacheGenerations", "CacheOutcome", "CacheStorage", "CacheStorageCounts",
        "CacheTime",
        "CacheVariant", "CallEvent", "CallMetrics.recordsDropped(_:)", "CallRecorder.recordsDropped(_:)", "CallSink",
        "CassetteReport", "Client.Path.StringInterpolation", "ContentlessResponse", "CurlTransport.Statistics",
        "DeepLinkMismatch", "EventStreamState", "ExchangeMonitor", "FailedResponse.init(status:headers:body:url:)",
        "FailedResponse.status", "IDPushError", "IDPushServer", "InterimResponse", "Json", "KorePushServer",
        "LiveCallSink", "LogLevel", "LoopbackFault", "LoopbackRecording", "LoopbackResponse", "LoopbackServer",
        "ManualClock", "MockResponse", "MockTransport", "NetworkError", "OTLPExporter.Counts",
        "OTLPExporter.recordsDropped(_:)", "Outbox.Totals", "OutboxEntry", "OutboxReport", "Probe", "ProblemDetails",
        "RecordingSink", "RequestContext.attempt", "Response", "SharedGrant", "SharedLease", "SharedStore",
        "SharedStoreError", "SharedValue", "SocketClose", "SocketPeer", "SocketPeerEvent", "SocketState", "TagValue",
        "TraceContext", "TransferProgress", "TransportCapabilities", "TransportResponse", "TransportTimings",
        "UploadMethod.Interop",
    ]

    @Test("every public number that is a setting has a row")
    func everyNumber() throws {
        let known = Set(Self.rows.flatMap(\.names))
        let numbers = try Self.numbers()
        #expect(numbers.count > 100)
        let missing = numbers.filter { name in
            guard !known.contains(name) else { return false }
            let type = name.prefix { $0 != "(" }.split(separator: ".").dropLast()
            let above = (1...max(1, type.count)).map { type.prefix($0).joined(separator: ".") }
            return Self.told.isDisjoint(with: above + [name])
        }
        #expect(missing.sorted() == [], "give each of them a row, or say in `told` that it is no setting")
        #expect(known.subtracting(numbers).sorted() == [], "rows of what is no public number any more")
    }

    /// The names of initialisers, functions, cases and variables of Docs/API that take a number, without deprecated ones.
    private static func numbers() throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "Docs/API")
        let number =
            #"(Int|Int8|Int16|Int32|Int64|UInt|UInt8|UInt16|UInt32|UInt64|Double|Float|Duration|TimeInterval|Date)\??"#
        let parameter = try Regex(": " + number + #"([,)]| =)"#)
        let value = try Regex(#"^case \w+\("# + number + #"[,)]"#)
        let variable = try Regex(#"\bvar \w+: "# + number + #"( \{ get set \})?$"#)
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let parts = line.split(separator: " | ", maxSplits: 1)
                guard parts.count == 2, !parts[1].hasPrefix("@deprecated ") else { continue }
                let declaration = parts[1]
                let isCallable = ["init(", "init<", "init?(", "func ", "case "].contains { declaration.contains($0) }
                let isNumber = declaration.contains(isCallable ? parameter : variable) || declaration.contains(value)
                if isNumber { names.insert(String(parts[0])) }
            }
        }
        return names
    }
}
