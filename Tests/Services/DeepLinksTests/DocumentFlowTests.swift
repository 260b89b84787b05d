import DeepLinks
import DeepLinksDocumentNames
import TestSupport

/// The three lists of document 001, the user's specification, each from a closed app and from one in the background.
@MainActor
@Suite("The flows of document 001", .timeLimit(.minutes(10)), .paced)
struct DocumentFlowTests {
    enum Scenario: CaseIterable, Sendable { case closed, resumed }

    /// An app: its delegate's methods, and what they lead to, in order.
    @MainActor
    final class App {
        let steps = Recorder<String>()
        let manager: DeepLinkManager
        let navigator = DeeplinkNavigator()

        init() {
            let routes = DeeplinkType.routes.map { [steps] route in
                DeepLinkRoute<DeeplinkType>(route.pattern, from: route.sourceKinds, for: route.profiles) { parameters in
                    steps.record("parse")
                    return DeeplinkType.link(route.pattern, parameters)
                } match: { _ in
                    nil
                }
            }
            let parser = DeepLinkParser(
                schemes: ["deeplinkTutorial"],
                hosts: ["example.com"],
                routes: routes,
                shortcuts: [ShortcutKey.messages.rawValue: "/messages"],
                notifications: [
                    .id(at: "data.messageId", opens: "/messages/:id"),
                    .id(at: "data.requestId", opens: "/request/:id"),
                ]
            )
            manager = DeepLinkManager(center: DeepLinkCenter(parser: parser), navigator: navigator)
        }

        func launch(_ scenario: Scenario) {
            // A closed app gets the link before it has a window; one in the background has shown pages already.
            if scenario == .resumed {
                showWindow()
                becomeActive()
                #expect(steps.values == ["become active"])
            }
        }

        func showWindow() {
            navigator.open = { [steps, manager] link in
                #expect(manager.center.state == .delivered(link))
                steps.record("navigate: " + link.title)
            }
        }

        func becomeActive() {
            steps.record("become active")
            manager.checkDeepLink()
            if manager.center.state == .idle, steps.values.count > 1 { steps.record("reset") }
        }

        /// Step by step: nothing but the parser runs until the app is active, and nothing runs twice.
        func expect(_ link: DeeplinkType, _ scenario: Scenario, when source: () -> Bool?) {
            launch(scenario)
            let before = steps.values
            #expect(source() != false)
            #expect(manager.center.state == .pending([link]))
            steps.record("store")
            #expect(steps.values == before + ["parse", "store"])
            if scenario == .closed { showWindow() }
            becomeActive()
            #expect(
                steps.values
                    == before + ["parse", "store", "become active", "navigate: " + link.title, "reset"]
            )
            let after = steps.values
            manager.checkDeepLink()
            #expect(steps.values == after)
        }
    }

    @Test("shortcuts: six steps", arguments: Scenario.allCases)
    func shortcuts(scenario: Scenario) {
        let app = App()
        let item = ShortcutItem(type: ShortcutKey.messages.rawValue, localizedTitle: "Messages")
        app.expect(.messages(.root), scenario) { app.manager.handleShortcut(item: item) }
    }

    @Test(
        "deep links: seven steps",
        arguments: Scenario.allCases,
        [
            ("deeplinkTutorial://messages/1", .messages(.details(id: "1"))),
            ("deeplinkTutorial://request/1", .request(id: "1")),
            ("https://example.com/request/1", .request(id: "1")),
        ] as [(String, DeeplinkType)]
    )
    func deeplinks(scenario: Scenario, link: (url: String, page: DeeplinkType)) throws {
        let app = App()
        let url = try #require(URL(string: link.url))
        app.expect(link.page, scenario) { app.manager.handleDeeplink(url: url) }
    }

    @Test(
        "notifications: six steps",
        arguments: Scenario.allCases,
        [
            (["messageId": "1"], .messages(.details(id: "1"))),
            (["requestId": "1"], .request(id: "1")),
        ] as [([String: String], DeeplinkType)]
    )
    func notifications(scenario: Scenario, push: (data: [String: String], page: DeeplinkType)) {
        let app = App()
        app.expect(push.page, scenario) {
            app.manager.handleRemoteNotification(["aps": ["alert": "Hello!"], "data": push.data])
            return nil
        }
    }

    @Test("a notification that arrives while the app is used opens nothing at the next activation")
    func received() {
        let app = App()
        app.launch(.resumed)
        app.manager.handleRemoteNotification(["data": ["messageId": "1"]], isTapped: false)
        app.manager.checkDeepLink()
        #expect(app.steps.values == ["become active", "parse"])
    }
}

extension DeeplinkType {
    fileprivate static func link(_ pattern: DeepLinkPattern, _ parameters: DeepLinkParameters) -> DeeplinkType? {
        switch (pattern.description, parameters["id"]) {
        case ("/messages", _): .messages(.root)
        case ("/messages/:id", let id?): .messages(.details(id: id))
        case ("/activity", _): .activity
        case ("/newListing", _): .newListing
        case ("/request/:id", let id?): .request(id: id)
        default: nil
        }
    }
}
