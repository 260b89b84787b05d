import AlarmService
import CoreNetKit
import DeepLinks
import DeepLinksDocumentNames
import Foundation
import IDPushService
import KorePushService

/// What a step expected and did not get.
struct Mismatch: Error, CustomStringConvertible {
    let step: Int
    let message: String
    var description: String { "step \(step): \(message)" }
}

/// One app's way through its notification stack, step by step.
@MainActor
final class Journey {
    let world: World
    let store = InMemoryStore()
    let secrets = InMemoryStore()
    let links = DeepLinkCenter<DeeplinkType>(
        parser: DeeplinkType.parser(hosts: ["example.com"]),
        clock: ContinuousClock()
    )
    let token = Data([0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6, 0x07, 0x18])
    /// How much time the outbox has for the last step.
    let timeout: TimeInterval
    private let say: (String) -> Void
    private var first = 0
    private var step = 0

    init(_ world: World, timeout: TimeInterval = 60, say: @escaping (String) -> Void = { print($0) }) {
        self.world = world
        self.timeout = timeout
        self.say = say
    }

    /// Walks through all steps.
    func run() async throws {
        try await registration()
        try await koreSubscription()
        try deepLinks()
        try await alarmList()
        try await goodbye()
        try await userSwitch()
        try await crash()
    }

    /// Begins a step; everything recorded from here on belongs to it.
    func step(_ number: Int, _ title: String, _ body: () async throws -> String) async throws {
        begin(number)
        do {
            tell(title, try await body())
        } catch let error as Mismatch {
            throw error
        } catch {
            throw Mismatch(step: number, message: "\(title): \(error)")
        }
    }

    /// The same for a step that waits for nothing.
    func step(_ number: Int, _ title: String, now body: () throws -> String) throws {
        begin(number)
        do {
            tell(title, try body())
        } catch let error as Mismatch {
            throw error
        } catch {
            throw Mismatch(step: number, message: "\(title): \(error)")
        }
    }

    /// The requests of this step.
    var sent: [Recorded] { Array(world.requests.dropFirst(first)) }

    /// Ends the journey unless both are equal.
    func same<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
        guard value == expected else {
            throw Mismatch(step: step, message: "\(what): expected \(expected), got \(value)")
        }
    }

    /// Ends the journey unless the step failed as it should.
    func fails<Failure: Error, Value>(
        _ body: () async throws -> Value,
        as matches: (Failure) -> Bool
    ) async throws -> Failure {
        do {
            _ = try await body()
        } catch let error as Failure where matches(error) {
            return error
        }
        throw Mismatch(step: step, message: "expected a failure")
    }

    private func begin(_ number: Int) {
        step = number
        world.step.value = number
        first = world.requests.count
    }

    private func tell(_ title: String, _ detail: String) {
        let number = step < 10 ? " \(step)" : "\(step)"
        let padding = String(repeating: " ", count: max(1, 38 - title.count))
        say("  \(number)  \(title)\(padding)\(detail)")
    }
}
