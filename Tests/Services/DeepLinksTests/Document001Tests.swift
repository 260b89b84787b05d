import DeepLinks
import DeepLinksDocumentNames
import TestSupport

/// The names of document 001, the user's specification, as it prints them, in the places where an app has them.
@MainActor
@Suite("The names of document 001", .timeLimit(.minutes(10)), .serialized, .paced)
struct Document001Tests {
    // The document's view controller, without the view.
    @MainActor
    final class ViewController {
        var title: String?
        var currentProfile = ProfileType.guest

        func viewDidLoad() { configureFor(profileType: currentProfile) }

        func didPressSwitchProfile(_ sender: Any) {
            currentProfile = currentProfile == .guest ? .host : .guest
            configureFor(profileType: currentProfile)
        }

        func configureFor(profileType: ProfileType) {
            title = profileType.rawValue
            ShortcutParser.shared.registerShortcuts(for: profileType)
        }
    }

    // The document's app delegate, without the application.
    @MainActor
    final class AppDelegate {
        func applicationDidBecomeActive() { Deeplinker.checkDeepLink() }

        func performAction(for shortcutItem: ShortcutItem, completionHandler: (Bool) -> Void) {
            completionHandler(Deeplinker.handleShortcut(item: shortcutItem))
        }

        func open(_ url: URL) -> Bool { Deeplinker.handleDeeplink(url: url) }

        func didReceiveRemoteNotification(_ userInfo: [AnyHashable: Any]) {
            Deeplinker.handleRemoteNotification(userInfo)
        }
    }

    @Test("the app of the document")
    func app() throws {
        let alerts = Recorder<String>()
        DeeplinkNavigator.shared.open = { alerts.record($0.title) }
        defer { DeeplinkNavigator.shared.open = nil }
        let controller = ViewController()
        let delegate = AppDelegate()
        let newListing = ShortcutItem(type: ShortcutKey.newListing.rawValue, localizedTitle: "New Listing")

        controller.viewDidLoad()
        #expect(controller.title == "Guest")
        delegate.performAction(for: newListing) { #expect(!$0) }
        controller.didPressSwitchProfile(self)
        #expect(controller.title == "Host")
        delegate.performAction(for: newListing) { #expect($0) }
        delegate.applicationDidBecomeActive()

        #expect(delegate.open(try #require(URL(string: "deeplinkTutorial://messages/1"))))
        delegate.applicationDidBecomeActive()
        #expect(!delegate.open(try #require(URL(string: "deeplinkTutorial://nowhere/1"))))
        delegate.applicationDidBecomeActive()
        #expect(delegate.open(try #require(URL(string: "deeplinkTutorial://request/1"))))
        delegate.applicationDidBecomeActive()
        delegate.didReceiveRemoteNotification(["data": ["messageId": "2"]])
        delegate.applicationDidBecomeActive()
        let messages = ShortcutItem(type: ShortcutKey.messages.rawValue, localizedTitle: "Messages")
        delegate.performAction(for: messages) { #expect($0) }
        delegate.applicationDidBecomeActive()
        delegate.applicationDidBecomeActive()
        #expect(
            alerts.values == [
                "New Listing", "Messages Details 1", "Request Details 1", "Messages Details 2", "Messages Root",
            ]
        )
    }

    @Test("links wait until there is a navigator")
    func noNavigator() throws {
        let navigator = DeeplinkNavigator()
        let manager = DeeplinkManager(navigator: navigator)
        #expect(manager.handleShortcut(item: ShortcutItem(type: "com.myApp.activity", localizedTitle: "")))
        manager.checkDeepLink()
        #expect(manager.center.state == .pending([.activity]))
        let alerts = Recorder<String>()
        navigator.open = { alerts.record($0.title) }
        manager.checkDeepLink()
        #expect(alerts.values == ["Activity"])
    }

    @Test("the navigator knows every page, under both spellings")
    func navigator() {
        let alerts = Recorder<String>()
        let navigator = DeeplinkNavigator { alerts.record($0.title) }
        navigator.proceedToDeeplink(.activity)
        navigator.proceedToDeeplink(.messages(.root))
        navigator.forwardToDeeplink(.messages(.details(id: "1")))
        navigator.forwardToDeeplink(.newListing)
        navigator.forwardToDeeplink(.request(id: "1"))
        #expect(
            alerts.values == ["Activity", "Messages Root", "Messages Details 1", "New Listing", "Request Details 1"]
        )
    }

    @Test("the three parsers")
    func parsers() throws {
        let url = try #require(URL(string: "deeplinkTutorial://request/1"))
        #expect(DeeplinkParser.shared.parseDeepLink(url) == .request(id: "1"))
        let others = ["activity", "newListing", "messages", "messages/"].map { "deeplinkTutorial://" + $0 }
        for other in others + ["other://request/1"] {
            #expect(DeeplinkParser.shared.parseDeepLink(try #require(URL(string: other))) == nil)
        }
        #expect(NotificationParser.shared.handleNotification(["data": ["requestId": "1"]]) == .request(id: "1"))
        #expect(NotificationParser.shared.handleNotification(["aps": [:] as [String: Any]]) == nil)
        let shortcut = ShortcutItem(type: "com.myApp.activity", localizedTitle: "Recent Activity")
        #expect(ShortcutParser.shared.handleShortcut(shortcut) == .activity)
        #expect(ShortcutParser.shared.handleShortcut(ShortcutItem(type: "x", localizedTitle: "")) == nil)
    }

    @Test("the shortcuts of the profiles, in order")
    func shortcuts() {
        #expect(ProfileType(rawValue: "Guest") == .guest)
        #expect(ProfileType(rawValue: "Host") == .host)
        let guest = [
            ShortcutItem(type: "com.myApp.activity", localizedTitle: "Recent Activity", icon: "Alert Icon"),
            ShortcutItem(type: "com.MyApp.messages", localizedTitle: "Messages", icon: "Messenger Icon"),
        ]
        let newListing = ShortcutItem(
            type: "com.myApp.newListing",
            localizedTitle: "New Listing",
            icon: "New Listing Icon"
        )
        let manager = DeepLinkManager()
        #expect(ShortcutParser.shared.registerShortcuts(for: .guest, in: manager) == guest)
        #expect(ShortcutParser.shared.registerShortcuts(for: .host, in: manager) == guest + [newListing])
        #expect(ShortcutParser.registerShortcuts(for: .guest) == guest)
        for shortcut in ProfileType.host.shortcuts {
            #expect(ShortcutParser.shared.handleShortcut(shortcut) != nil)
        }
    }
}
