/** The text and the HTML of a mail, and what of names and addresses may stand in its headers. */
import t from "tap"
import { headerName, headerSubject, isMailAddress } from "../../../../src/chat/sending/mail/mail-headers.ts"
import { mailParts } from "../../../../src/chat/sending/mail/mail-parts.ts"

t.test("both parts say the same", async (t) => {
  const { text, html } = mailParts({
    paragraphs: ["Hello Iago,", "Cordelia & Co. invites you to <Demo>.", ""],
    button: { label: "Join", url: "https://chat.example.org/join/a?b=1&c=%22" },
    footer: "Nobody else can use this link.",
  })
  t.equal(
    text,
    "Hello Iago,\n\nCordelia & Co. invites you to <Demo>.\n\nJoin:\nhttps://chat.example.org/join/a?b=1&c=%22\n\n-- \nNobody else can use this link.\n",
  )
  t.match(html, "Cordelia &amp; Co. invites you to &lt;Demo&gt;.")
  t.match(html, '<a href="https://chat.example.org/join/a?b=1&amp;c=%22"')
  t.notMatch(html, /<(img|script|link|iframe|form)|src=|url\(|@import/, "nothing is loaded from anywhere")
})

t.test("whatever is given is text", async (t) => {
  const hostile = `"><img src=x onerror=alert(1)>\u0000\u2028<a href='javascript:x'>`
  const { text, html } = mailParts({
    paragraphs: [hostile],
    button: { label: hostile, url: `https://chat.example.org/${encodeURIComponent(hostile.slice(0, 20))}"><b>` },
    footer: hostile,
  })
  t.notMatch(html, /<img|<a href='|<b>/)
  t.equal(html.split("<a ").length, 2, "one link")
  t.notOk(text.includes("\u0000") || text.includes("\u2028"))
  for (const url of ["javascript:alert(1)", "data:text/html,x", "not an address"])
    t.throws(() => mailParts({ paragraphs: [], button: { label: "x", url } }), `${url} is no web address`)
})

t.test("text is wrapped between words, and links are not", async (t) => {
  const url = `https://chat.example.org/${"x".repeat(200)}`
  const { text } = mailParts({ paragraphs: ["word ".repeat(40), "one\r\ntwo"], button: { label: "Open", url } })
  const lines = text.split("\n")
  t.ok(lines.includes(url))
  t.ok(lines.filter((line) => line !== url).every((line) => line.length <= 76))
  t.match(text, "one\ntwo")
})

t.test("a long text takes no time that others would notice", async (t) => {
  const began = performance.now()
  mailParts({ paragraphs: ["x ".repeat(50_000), " ".repeat(100_000), "\r".repeat(100_000)] })
  isMailAddress(`${"a.".repeat(50_000)}@${"a-".repeat(50_000)}`)
  isMailAddress(`${"a.".repeat(31)}@${"a-".repeat(90)}!`)
  headerName(" \u200b".repeat(50_000))
  // About 10 ms; what grows with the square of the length takes minutes.
  t.ok(performance.now() - began < 10_000)
})

t.test("names and subjects are one line of what can be seen", async (t) => {
  t.equal(headerName("Zoë  \r\nBcc: all@example.org\t\u202e\u2028x"), "Zoë Bcc: all@example.org x")
  t.equal(headerName("\u200b \u0000"), "")
  t.equal(Array.from(headerName("𝒳".repeat(300))).length, 100)
  t.equal(headerSubject("a".repeat(300)).length, 200)
})

t.test("addresses that mail can be sent to", async (t) => {
  const good = [
    "iago@demo.example",
    "a.b+c@localhost",
    "o'neil@xn--bcher-kva.example",
    "zoë@bücher.example",
    "x@a-b.c1",
  ]
  for (const address of good) t.ok(isMailAddress(address), address)
  const bad = [
    "",
    "iago",
    "@demo.example",
    "iago@",
    "a@b@c.example",
    "iago@demo.example\r\nRCPT TO:<all@example.org>",
    "iago@demo.example\n",
    "iago @demo.example",
    "iago@demo.example,all@example.org",
    '"all@example.org, x"@demo.example',
    "<iago@demo.example>",
    "iago@demo.example> SIZE=1",
    "a..b@demo.example",
    ".a@demo.example",
    "iago@-demo.example",
    "iago@demo..example",
    "iago@[127.0.0.1]",
    "iago@demo.example\u0000",
    "iago\u202e@demo.example",
    `${"a".repeat(65)}@demo.example`,
    `a@${"b.".repeat(150)}example`,
  ]
  for (const address of bad) t.notOk(isMailAddress(address), JSON.stringify(address))
})
