import TestPace
import Testing

@testable import CoreNetKitObservability

@Suite("What a page shows of texts from elsewhere", .paced)
struct HTMLOutputTests {
    @Test("is the whole of them, and no markup")
    func escaped() {
        var output = HTMLOutput()
        output.pair("a<b", "\"c\" > &'d'")
        output.lines("<i>\n</i>")
        let pair = "<div><dt>a&lt;b</dt><dd>&quot;c&quot; &gt; &amp;&#39;d&#39;</dd></div>"
        #expect(output.result == pair + "&lt;i&gt;\n&lt;/i&gt;")
    }
}
