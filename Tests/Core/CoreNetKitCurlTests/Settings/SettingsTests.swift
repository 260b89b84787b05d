#if os(Linux)
    import CoreNetKitCurl
    import TestPace
    import TestPrograms
    import Testing

    @Suite(
        "Every setting, on each lane",
        .enabled(if: NginxServer.isInstalled, "needs /usr/sbin/nginx and openssl"),
        .timeLimit(.minutes(10)),
        .paced
    )
    struct SettingsTests {
        @Test("has its effect", arguments: SettingRow.all, LaneKind.all)
        func effect(row: SettingRow, lane: LaneKind) async throws { try await row.check(lane) }

        @Test("has a row")
        func rows() {
            #expect(SettingRow.all.map(\.name).sorted() == SettingRow.names.sorted())
        }
    }
#endif
