import AlarmService
import PushServersMock
import TestSupport

@Suite("Entries are read as far as possible", .timeLimit(.minutes(10)), .paced)
struct AlarmEntryTests {
    private static func alarm(_ text: String) throws -> Alarm {
        try Alarm.from(dto: AlarmEntry.from(raw: Json(parsing: text)))
    }

    @Test("a complete entry fills all twelve properties")
    func complete() throws {
        let alarm = try Self.alarm(
            #"""
            {"seq":980,"type":"F01","from_nick":"시작","from_id":"u7","is_read":1,"head_text":"새 글","station_name":"st",
            "thumbnail":"https://example.com/t.png","scheme":"deeplinkTutorial://messages/1","message":"\"<시작>\"이",
            "profile_image":"https://example.com/p.png","date":"2026-11-21T06:30:00Z"}
            """#
        )
        #expect(alarm.sequence == 980 && alarm.isRead)
        #expect(
            [alarm.type.rawValue, alarm.fromNickName, alarm.fromId, alarm.headText, alarm.stationName, alarm.scheme]
                == ["F01", "시작", "u7", "새 글", "st", "deeplinkTutorial://messages/1"]
        )
        #expect(alarm.text.plain == "\"시작\"이: 새 글")
        #expect(alarm.thumbnailURL?.absoluteString == "https://example.com/t.png")
        #expect(alarm.profileImage?.absoluteString == "https://example.com/p.png")
        #expect(alarm.date == Date(timeIntervalSince1970: 1_795_242_600))
    }

    @Test("a missing value, null or a value of another type becomes the document's default")
    func missing() throws {
        var expected = Alarm()
        expected.sequence = 5
        let texts = [
            #"{"seq":5}"#,
            #"{"seq":"5","type":null,"from_nick":[1],"is_read":null,"message":{"a":1},"date":true}"#,
            #"{"seq":5.0,"type":"","thumbnail":"","unknown":1}"#,
        ]
        for text in texts { #expect(try Self.alarm(text) == expected) }
    }

    @Test(
        "a mark is read in all its forms",
        arguments: [
            ("1", true), ("true", true), (#""Y""#, true), (#""y""#, true), (#""1""#, true), (#""true""#, true),
            ("0", false), ("false", false), (#""N""#, false), (#""""#, false), ("null", false), ("2", false),
            ("[]", false), (#""maybe""#, false),
        ]
    )
    func mark(_ text: String, _ isRead: Bool) throws {
        #expect(try Self.alarm(#"{"seq":1,"is_read":\#(text)}"#).isRead == isRead)
    }

    @Test("a number is accepted where a text is expected")
    func numbers() throws {
        let alarm = try Self.alarm(#"{"seq":1,"from_id":7,"date":1795242600}"#)
        #expect(alarm.fromId == "7")
        #expect(alarm.date == Date(timeIntervalSince1970: 1_795_242_600))
    }

    @Test(
        "a time is read in all forms that servers use, and nothing else is one, nor a time after 2200",
        arguments: [
            ("2026-11-21T06:30:00Z", 1_795_242_600), ("2026-11-21T15:30:00+09:00", 1_795_242_600),
            ("2026-11-21T06:30:00.000Z", 1_795_242_600), ("2026-11-21 15:30:00", 1_795_242_600),
            ("20261121153000", 1_795_242_600), ("1795242600", 1_795_242_600), ("1795242600000", 1_795_242_600),
            ("20261121", 20_261_121), ("1", 1), ("0.5", 0.5), ("0", nil), ("-1", nil), ("nan", nil), ("inf", nil),
            ("1e300", nil), ("99999999999999", nil), ("20269921153000", nil), ("9999-12-31T00:00:00Z", nil),
            ("2026-13-41 99:99:99", nil), ("2026-11-21", nil), ("yesterday", nil), ("", nil), (" ", nil),
        ] as [(String, Double?)]
    )
    func date(_ text: String, seconds: Double?) {
        #expect(AlarmDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "an address is a web address or none",
        arguments: ["", " ", "javascript:alert(1)", "file:///etc", "https://"]
    )
    func noAddress(_ text: String) {
        var alarm = Alarm()
        alarm.thumbnail = text
        alarm.profileImageURL = text
        #expect(alarm.thumbnailURL == nil)
        #expect(alarm.profileImage == nil)
    }

    @Test("entries without a usable sequence are left out of the page, counted, and named in the log")
    func skipped() async throws {
        let sink = RecordingSink()
        let bench = try Bench(log: LogConfiguration(to: sink))
        let list = #"[{"seq":9},{"type":"F01"},{"seq":-3},{"seq":0},{"seq":"x"},17,null,{"seq":9},{"seq":"8"}]"#
        bench.alarms.failPages(.text(#"{"result":1,"data":\#(list),"paging":{"has_more":false},"unread_count":-4}"#))
        let page: AlarmPage = try await bench.client.page()
        #expect(page.alarms.map(\.sequence) == [9, 8])
        #expect(page.skipped == 6)
        #expect(page.unreadCount == 0)
        bench.alarms.failPages(.text(#"{"result":1,"data":\#(list),"paging":{"has_more":false}}"#))
        let shown = try await AlarmList(client: bench.client) { $0 }.refresh() as AlarmSnapshot
        #expect(shown.skippedCount == 6)
        let tree = "\(try await sink.waitForLogTrees(1)[0])"
        #expect(tree.contains("6 entries without a sequence were left out"))
    }

    @Test("the order of the server does not matter, and a huge page is read")
    func huge() async throws {
        let bench = try Bench()
        let entries = (1...20_000).map { #"{"seq":\#($0),"message":"m"}"# }.joined(separator: ",")
        bench.alarms.failPages(.text(#"{"data":[\#(entries)]}"#))
        let page: AlarmPage = try await bench.client.page()
        #expect(page.alarms.count == 20_000)
        #expect(page.alarms.first?.sequence == 20_000)
        #expect(!page.hasMore)
        #expect(page.unreadCount == nil)
    }

    @Test(
        "an invalid page is an invalid response",
        arguments: ["[]", "{}", #"{"data":{}}"#, #"{"data":"x"}"#, "17", #"{"data":[1"#]
    )
    func noPage(_ text: String) async throws {
        let bench = try Bench()
        bench.alarms.failPages(.text(text))
        #expect(await alarmFailure { try await bench.client.page() as AlarmPage }?.code == .invalidResponse)
    }

    @Test("a null list is an empty page")
    func noList() async throws {
        let bench = try Bench()
        bench.alarms.failPages(.text(#"{"result":"1","data":null,"error":null}"#))
        let page: AlarmPage = try await bench.client.page()
        #expect(page.alarms.isEmpty)
    }
}
