import t from "tap"
import { compileLinkifier, linkifierFault } from "../../../../src/chat/text/linkifiers/linkifier-pattern.ts"
import { Random } from "../../../events/model/random.ts"
import { seed } from "../../../kit/share.ts"

const issue = { id: 1, pattern: "#(?P<id>[0-9]{2,8})", url_template: "https://issues.example.com/{id}" }

/** The matched texts with their addresses. */
const links = (linkifier: typeof issue, text: string) =>
  compileLinkifier(linkifier)
    ?.matches(text, () => true)
    .map(({ start, end, url }) => [text.slice(start, end), url])

t.test("matches become addresses by the template", async (t) => {
  t.strictSame(links(issue, "see #123, #45 (#678): #12"), [
    ["#123", "https://issues.example.com/123"],
    ["#45", "https://issues.example.com/45"],
    ["#678", "https://issues.example.com/678"],
    ["#12", "https://issues.example.com/12"],
  ])
  t.strictSame(links(issue, "#12 #13"), [
    ["#12", "https://issues.example.com/12"],
    ["#13", "https://issues.example.com/13"],
  ])
  for (const text of ["a#123", "#123a", "#1", "#123456789", ""]) t.strictSame(links(issue, text), [], text)
  const repository = {
    id: 2,
    pattern: "(?P<org>[a-z]+)/(?P<repo>[a-z]+)(?:#(?P<id>[0-9]+))?",
    url_template: "https://git.example.com/{org}/{repo}{?id}",
  }
  t.strictSame(links(repository, "in a/b#7"), [["a/b#7", "https://git.example.com/a/b?id=7"]])
  t.strictSame(links(repository, "in a/b"), [["a/b", "https://git.example.com/a/b"]])
  const word = { id: 3, pattern: "ref:(?P<name>.+)", url_template: "https://x.example/{name}" }
  t.strictSame(links(word, `ref:"><script>`), [[`ref:"><script>`, "https://x.example/%22%3E%3Cscript%3E"]])
})

t.test("usual patterns are no work", async (t) => {
  for (const pattern of [
    "(?i)(?P<id>[a-z]{2,10}-[0-9]{1,6})",
    "(?i)(?P<id>[а-яё]+-[0-9]+)",
    "(?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",
    "(?P<id>[0-9a-f]{40})",
    "(?i)(?P<id>[\\pL\\pN_-]+)",
    "(?P<id>[\\x{4E00}-\\x{9FFF}]{1,40})",
    "(?P<id>\\pL{1,40}-\\x{2014})",
  ])
    t.equal(linkifierFault(pattern, "https://a.example/{id}"), undefined, pattern)
})

t.test("what is wrong with a linkifier is said to its administrator", async (t) => {
  const template = "https://a.example/{id}"
  const faults: ReadonlyArray<[pattern: string, template: string, fault: RegExp]> = [
    ["", template, /empty/],
    ["#(?P<id>[0-9]+", template, /^Bad regular expression: missing closing \)/],
    ["a)(?P<id>b", template, /^Bad regular expression/],
    ["(?P<id>a)(?P<id>b)", template, /^Bad regular expression: duplicate/],
    ["(?P<id>a)(?=b)", template, /^Bad regular expression/],
    ["(?P<id>a)\\1", template, /^Bad regular expression/],
    ["(?P<id>a{0,1001})", template, /^Bad regular expression/],
    ["(?P<id>a*)", template, /empty text/],
    ["(?P<id>\\pL{500})", template, /too complex/],
    // The other cases of each letter of a range are looked for: 60 of these took a quarter of a second.
    [`(?i)(?P<id>b)${"[B-\\x{1E940}]".repeat(60)}`, template, /too complex/],
    [`(?s)(?P<id>b)(?mi:${"[B-\u{1E940}]".repeat(60)})`, template, /too complex/],
    [`(?i)(?P<id>b)${"[\\x42-\\x{1E940}]".repeat(3)}`, template, /too complex/],
    [`(?i)(?P<id>b)${"[B-ɰ]".repeat(150)}`, template, /too complex/],
    [`(?i)(?P<id>b)${"\\PL".repeat(300)}`, template, /too complex/],
    [`(?i)(?P<id>b)${"[\\pL\\pN]".repeat(100)}`, template, /too complex/],
    [`(?P<id>b)${"\\pL".repeat(190)}`, template, /too complex/],
    ["(?P<id>(?:\\pL{30}){30})", template, /too complex/],
    ["x".repeat(1001), template, /too long/],
    ["(?P<id>a)", `https://a.example/{id}${"x".repeat(1000)}`, /too long/],
    ["(?P<id>a)", "https://a.example/{id", /Invalid URL template/],
    ["(?P<id>a)", "https://a.example/id}", /Invalid URL template/],
    ["(?P<id>a)", "https://a.example/{}", /Invalid URL template/],
    ["(?P<id>a)", "https://a.example/{!id}", /Invalid URL template/],
    ["(?P<id>a)", "https://a.example/{other}", /^Group 'other' in the URL template is not in the pattern/],
    ["(?P<id>a)(?P<b>c)", template, /^Group 'b' in the pattern is not in the URL template/],
    ["(?P<id>a)", "javascript:alert({id})", /must begin with/],
    ["(?P<id>a)", "{+id}", /must begin with/],
    ["(?P<id>a)", "https://{+id}", /must begin with/],
    ["(?P<id>a)", "//a.example/{id}", /must begin with/],
    ["(?P<parley__matched>a)", "https://a.example/{parley__matched}", /^Bad regular expression: duplicate/],
  ]
  for (const [pattern, url_template, fault] of faults) {
    t.match(linkifierFault(pattern, url_template), fault, `${pattern} ${url_template}`.slice(0, 80))
    t.equal(compileLinkifier({ id: 1, pattern, url_template }), undefined)
  }
  t.equal(linkifierFault(issue.pattern, issue.url_template), undefined)
  t.equal(linkifierFault("(?P<a>x)", "https://a.example/{#a}{&a*}{/a:3,a}"), undefined)
})

t.test("badly written patterns ask for few steps, and end where they are refused more", async (t) => {
  const parts = [
    "a",
    "a+",
    "(a+)+",
    "(?:a|a)*b",
    ".*",
    "(?:.*)*",
    "[^x]*?",
    "a{0,30}",
    "(?:a?){20}",
    "\\pL*",
    "^",
    "\\b",
    "|",
  ]
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  let kept = 0
  for (let n = 0; n < 300; n++) {
    const pattern = `(?P<id>a${Array.from({ length: 4 }, () => random.pick(parts)).join("")})`
    const linkifier = compileLinkifier({ id: 1, pattern, url_template: "https://a.example/{id}" })
    if (linkifier === undefined) continue
    kept++
    let steps = 0
    const text = random.pick(["a".repeat(1000), "a ".repeat(500), `${"a".repeat(999)}b`])
    const found = linkifier.matches(text, (asked) => {
      steps += asked
      return steps <= 1_000_000
    })
    let last = 0
    for (const { start, end, url } of found) {
      t.ok(last <= start && start < end && end <= text.length, pattern)
      t.ok(url.startsWith("https://a.example/"), pattern)
      last = end
    }
    t.ok(steps <= 1_000_000 + 200 * text.length, pattern)
  }
  t.ok(kept > 20, `${kept} patterns were tried`)
})
