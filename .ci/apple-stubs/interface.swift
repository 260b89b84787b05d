// ---- UserNotifications
// The part of UserNotifications that the adapters use, with Apple's signatures and no behaviour: only to type-check them
// on Linux.
public import Foundation

/// <https://developer.apple.com/documentation/usernotifications/unnotificationdismissactionidentifier>
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// <https://developer.apple.com/documentation/usernotifications/unnotificationdefaultactionidentifier>
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"

/// <https://developer.apple.com/documentation/usernotifications/untextinputnotificationresponse>
open class UNTextInputNotificationResponse: UNNotificationResponse {
    public var userText: String { "" }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationresponse>
open class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    public let actionIdentifier: String

    init(notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
    }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotification>
open class UNNotification: NSObject {
    public let request: UNNotificationRequest
    public let date = Date()
    init(request: UNNotificationRequest) { self.request = request }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationrequest>
open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent

    init(identifier: String, content: UNNotificationContent) {
        self.identifier = identifier
        self.content = content
    }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationcontent>
open class UNNotificationContent: NSObject {
    public var userInfo: [AnyHashable: Any] { [:] }
}
// ---- UIKit
// The part of UIKit that the adapters use, with Apple's signatures and no behaviour: only to type-check them on Linux.
@_exported public import Foundation
public import UserNotifications

/// <https://developer.apple.com/documentation/uikit/uiapplication>
@MainActor
open class UIApplication: NSObject {
    public class var shared: UIApplication { UIApplication() }
    /// <https://developer.apple.com/documentation/uikit/uiapplication/shortcutitems>
    public var shortcutItems: [UIApplicationShortcutItem]?
    /// <https://developer.apple.com/documentation/uikit/uiapplication/applicationstate>
    public var applicationState: State { .active }
    override nonisolated init() {}

    /// <https://developer.apple.com/documentation/uikit/uiapplication/state>
    public enum State: Int, Sendable {
        case active, inactive, background
    }
}

/// <https://developer.apple.com/documentation/uikit/uiapplicationshortcuticon>
open class UIApplicationShortcutIcon: NSObject {
    public convenience init(templateImageName: String) { self.init() }
    override init() {}
}

/// <https://developer.apple.com/documentation/uikit/uiapplicationshortcutitem>
open class UIApplicationShortcutItem: NSObject {
    public let type: String
    public let localizedTitle: String
    public let localizedSubtitle: String?
    public let icon: UIApplicationShortcutIcon?
    public let userInfo: [String: any NSSecureCoding]?

    public init(
        type: String,
        localizedTitle: String,
        localizedSubtitle: String?,
        icon: UIApplicationShortcutIcon?,
        userInfo: [String: any NSSecureCoding]? = nil
    ) {
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        self.icon = icon
        self.userInfo = userInfo
    }
}

/// <https://developer.apple.com/documentation/uikit/uiopenurlcontext>
@MainActor
open class UIOpenURLContext: NSObject {
    public let url: URL
    init(url: URL) { self.url = url }
}

/// <https://developer.apple.com/documentation/uikit/uiscene>
@MainActor
open class UIScene: NSObject {
    /// <https://developer.apple.com/documentation/uikit/uiscene/connectionoptions>
    @MainActor
    open class ConnectionOptions: NSObject {
        public var urlContexts: Set<UIOpenURLContext> { [] }
        public var userActivities: Set<NSUserActivity> { [] }
        public var shortcutItem: UIApplicationShortcutItem? { nil }
        public var notificationResponse: UNNotificationResponse? { nil }
        override nonisolated init() {}
    }

    override nonisolated init() {}
}
// ---- SwiftUI
// Names of SwiftUI and of Combine, which it brings along, with nothing behind them: a name of ours that is one of theirs is
// ambiguous in an app, and so in the check.
// <https://developer.apple.com/documentation/swiftui>, <https://developer.apple.com/documentation/combine>

public enum AnyGesture {}
public enum AnyLayout {}
public enum AnyTransition {}
public enum AnyShape {}
public enum AnyShapeStyle {}
public enum Alert {}
public enum Alignment {}
public enum Anchor {}
public enum Angle {}
public enum Animation {}
public enum App {}
public enum AppStorage {}
public enum Axis {}
public enum Binding {}
public enum Bindable {}
public enum BlendMode {}
public enum Button {}
public enum ButtonRole {}
public enum ButtonStyle {}
public enum Capsule {}
public enum Canvas {}
public enum Circle {}
public enum Color {}
public enum ColorPicker {}
public enum ColorScheme {}
public enum Commands {}
public enum CommandGroup {}
public enum CommandMenu {}
public enum ContainerRelativeShape {}
public enum ContentMode {}
public enum ContentSizeCategory {}
public enum ControlGroup {}
public enum ControlSize {}
public enum CoordinateSpace {}
public enum DatePicker {}
public enum DragGesture {}
public enum DropDelegate {}
public enum DropInfo {}
public enum DropProposal {}
public enum DynamicTypeSize {}
public enum DynamicViewContent {}
public enum Edge {}
public enum EdgeInsets {}
public enum EditActions {}
public enum EditButton {}
public enum EditMode {}
public enum Ellipse {}
public enum EmptyView {}
public enum Environment {}
public enum EnvironmentKey {}
public enum EnvironmentObject {}
public enum EnvironmentValues {}
public enum FetchRequest {}
public enum FillStyle {}
public enum FocusState {}
public enum FocusedBinding {}
public enum FocusedObject {}
public enum FocusedValue {}
public enum FocusedValues {}
public enum Font {}
public enum ForEach {}
public enum Form {}
public enum Gauge {}
public enum GeometryEffect {}
public enum GeometryProxy {}
public enum GeometryReader {}
public enum Gesture {}
public enum GestureMask {}
public enum GestureState {}
public enum Gradient {}
public enum GraphicsContext {}
public enum Grid {}
public enum GridItem {}
public enum GridRow {}
public enum Group {}
public enum GroupBox {}
public enum HStack {}
public enum HelpLink {}
public enum HorizontalAlignment {}
public enum HoverEffect {}
public enum Image {}
public enum ImageRenderer {}
public enum InsettableShape {}
public enum KeyEquivalent {}
public enum KeyPress {}
public enum KeyboardShortcut {}
public enum Label {}
public enum LabelStyle {}
public enum LabeledContent {}
public enum Layout {}
public enum LayoutDirection {}
public enum LayoutPriority {}
public enum LayoutSubview {}
public enum LayoutSubviews {}
public enum LayoutValueKey {}
public enum LazyHGrid {}
public enum LazyHStack {}
public enum LazyVGrid {}
public enum LazyVStack {}
public enum LinearGradient {}
public enum Link {}
public enum List {}
public enum LocalizedStringKey {}
public enum Material {}
public enum Menu {}
public enum ModifiedContent {}
public enum MultiDatePicker {}
public enum Namespace {}
public enum NavigationLink {}
public enum NavigationPath {}
public enum NavigationSplitView {}
public enum NavigationStack {}
public enum NavigationView {}
public enum ObservedObject {}
public enum OffsetShape {}
public enum OutlineGroup {}
public enum OutlineSubgroupChildren {}
public enum Path {}
public enum PhaseAnimator {}
public enum Picker {}
public enum PinnedScrollableViews {}
public enum PopoverAttachmentAnchor {}
public enum PreferenceKey {}
public enum PresentationMode {}
public enum PreviewProvider {}
public enum PrimitiveButtonStyle {}
public enum ProgressView {}
public enum ProjectionTransform {}
public enum Prominence {}
public enum RadialGradient {}
public enum Rectangle {}
public enum RedactionReasons {}
public enum RefreshAction {}
public enum RenameAction {}
public enum ResetFocusAction {}
public enum RotatedShape {}
public enum RoundedCornerStyle {}
public enum RoundedRectangle {}
public enum SafeAreaRegions {}
public enum Scene {}
public enum ScenePhase {}
public enum SceneStorage {}
public enum ScrollView {}
public enum ScrollViewProxy {}
public enum ScrollViewReader {}
public enum SearchFieldPlacement {}
public enum Section {}
public enum SectionedFetchRequest {}
public enum SecureField {}
public enum SensoryFeedback {}
public enum Settings {}
public enum Shader {}
public enum Shape {}
public enum ShapeStyle {}
public enum ShareLink {}
public enum Slider {}
public enum Spacer {}
public enum Stepper {}
public enum StateObject {}
public enum State {}
public enum StrokeStyle {}
public enum SubmitLabel {}
public enum Subview {}
public enum Tab {}
public enum TabView {}
public enum Table {}
public enum TableColumn {}
public enum TableRow {}
public enum Text {}
public enum TextAlignment {}
public enum TextEditor {}
public enum TextField {}
public enum TextSelection {}
public enum TimelineSchedule {}
public enum TimelineView {}
public enum Toggle {}
public enum ToolbarContent {}
public enum ToolbarItem {}
public enum ToolbarItemGroup {}
public enum Transaction {}
public enum Transition {}
public enum TupleView {}
public enum UnitCurve {}
public enum UnitPoint {}
public enum VStack {}
public enum VectorArithmetic {}
public enum VerticalAlignment {}
public enum View {}
public enum ViewBuilder {}
public enum ViewModifier {}
public enum ViewThatFits {}
public enum VisualEffect {}
public enum Window {}
public enum WindowGroup {}
public enum ZStack {}
public enum AnyCancellable {}
public enum AnyPublisher {}
public enum Cancellable {}
public enum CurrentValueSubject {}
public enum Deferred {}
public enum Empty {}
public enum Fail {}
public enum Future {}
public enum Just {}
public enum ObservableObject {}
public enum PassthroughSubject {}
public enum Published {}
public enum Publisher {}
public enum Publishers {}
public enum Record {}
public enum Subject {}
public enum Subscriber {}
public enum Subscribers {}
public enum Subscription {}
public enum Subscriptions {}
public enum TopLevelDecoder {}
public enum TopLevelEncoder {}
public enum Scheduler {}
public enum ImmediateScheduler {}
