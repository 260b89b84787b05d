import CoreNetKitRecovery
import TestPace
import Testing

@Suite("A retry budget", .paced)
struct RetryBudgetTests {
    @Test("keeps its promise for this second and later ones, and nothing of the past")
    func bounded() {
        let budget = RetryBudget(ratio: 0, floor: 1)
        for second in 0..<1_000 {
            #expect(budget.withdraw(at: .seconds(second), for: .seconds(second + 3)))
            #expect(!budget.withdraw(at: .seconds(second), for: .seconds(second + 3)))
            #expect(budget.secondsKept <= 4)
        }
    }

    @Test("counts each second's repetitions separately")
    func seconds() {
        let budget = RetryBudget(ratio: 0, floor: 2)
        for second in [5, 3, 4, 3, 5, 4] { #expect(budget.withdraw(at: .seconds(3), for: .seconds(second))) }
        for second in 3...5 { #expect(!budget.withdraw(at: .seconds(3), for: .seconds(second))) }
        #expect(budget.secondsKept == 3)
    }
}
