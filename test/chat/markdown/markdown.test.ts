/** Rendered Markdown: paragraphs, line breaks and links, no other markup, in linear time. */
import t from "tap"
import { renderMarkdown } from "../../../src/chat/markdown/markdown.ts"

const link = (address: string) => `<a href="${address}">${address}</a>`

t.test("blank lines separate paragraphs, single newlines break lines", async (t) => {
  t.equal(renderMarkdown("one"), "<p>one</p>")
  t.equal(renderMarkdown("one\ntwo"), "<p>one<br>\ntwo</p>")
  t.equal(renderMarkdown("one\n\ntwo\r\n \t\r\n\r\nthree\rfour"), "<p>one</p>\n<p>two</p>\n<p>three<br>\nfour</p>")
  t.equal(renderMarkdown("\n\none\n\n"), "<p>one</p>")
  t.equal(renderMarkdown(""), "")
  t.equal(renderMarkdown(" \n\t"), "")
})

t.test("HTML in the source becomes text", async (t) => {
  t.equal(
    renderMarkdown(`<script>alert("1 & 2")</script>`),
    "<p>&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;</p>",
  )
  t.equal(renderMarkdown("&lt;b&gt;"), "<p>&amp;lt;b&amp;gt;</p>")
  t.equal(renderMarkdown("javascript:alert(1)"), "<p>javascript:alert(1)</p>")
})

t.test("bare web addresses become links, without the punctuation around them", async (t) => {
  t.equal(renderMarkdown("https://example.com"), `<p>${link("https://example.com")}</p>`)
  for (const end of [".", ",", ";", ":", "!", "?", ")", ").", "?!...", "\n"]) {
    const [paragraph = ""] = renderMarkdown(`see http://example.com/a?b=1#c${end}`).split("\n")
    t.match(paragraph, link("http://example.com/a?b=1#c"), JSON.stringify(end))
  }
  t.equal(
    renderMarkdown("(see https://example.com/A_(b)), and so on"),
    `<p>(see ${link("https://example.com/A_(b)")}), and so on</p>`,
  )
  t.equal(renderMarkdown("[t](https://a.example)x"), `<p>[t](${link("https://a.example")})x</p>`)
  t.equal(
    renderMarkdown("https://a.example\nhttps://b.example"),
    `<p>${link("https://a.example")}<br>\n${link("https://b.example")}</p>`,
  )
  t.equal(renderMarkdown("HTTPS://a.example"), `<p>${link("HTTPS://a.example")}</p>`)
})

t.test("a web address cannot end the attribute that it stands in", async (t) => {
  t.equal(
    renderMarkdown(`https://a.example/"onclick="x https://b.example/?a=1&b=<i>`),
    `<p>${link("https://a.example/")}&quot;onclick=&quot;x ${link("https://b.example/?a=1&amp;b=")}&lt;i&gt;</p>`,
  )
})

t.test("text that is no web address stays text", async (t) => {
  for (const source of ["http://", "https://!", "xhttps://a.example", "https://[", "ftp://a.example", "a.example"]) {
    t.equal(renderMarkdown(source), `<p>${source}</p>`)
  }
})

t.test("10,000 hostile characters take no longer than 10,000 ordinary ones", async (t) => {
  const patterns = [
    "http://",
    "http://[",
    "http://[)",
    "http://a ",
    "http://a\n\n",
    "(",
    ")",
    ".",
    "\n",
    "\r",
    " ",
    "a\n",
    "<",
    "h",
  ]
  const hostile = patterns
    .flatMap((each) => [each, `https://a/${each}`])
    .map((each) => [each, each.repeat(10_000 / each.length)] as const)
  for (const [, source] of hostile) renderMarkdown(source)
  for (const [pattern, source] of hostile) {
    // The best of five: another process may take the processor meanwhile.
    const times = Array.from({ length: 5 }, () => {
      const began = performance.now()
      renderMarkdown(source)
      return performance.now() - began
    })
    t.ok(Math.min(...times) < 20, `${JSON.stringify(pattern)} took ${Math.min(...times)} ms`)
  }
})

t.test("an address whose host is longer than any is text, and is not parsed", async (t) => {
  const canParse = t.capture(URL, "canParse", URL.canParse)
  const script = "字".repeat(254)
  for (const slashes of ["//", "///", "/\\/", "\\\\"]) {
    const source = `http:${slashes}${script}/a`
    t.equal(renderMarkdown(source), `<p>${source}</p>`)
  }
  t.equal(renderMarkdown(`http://${script}`), `<p>http://${script}</p>`)
  t.strictSame(canParse(), [])
  const path = `https://a.example/${"字".repeat(5000)}?q=${script}#${script}`
  t.equal(renderMarkdown(path), `<p>${link(path)}</p>`)
  t.equal(canParse().length, 1)
})
