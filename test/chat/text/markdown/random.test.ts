/**
 * Whatever the content, the HTML is well-formed and holds nothing but what the renderer makes, names are never missed,
 * and the work is bounded. PARLEY_SEED=<seed> makes other contents.
 */
import t from "tap"
import { namesIn, readChannelReference } from "../../../../src/chat/text/markdown/context/markdown-names.ts"
import { plainHtml } from "../../../../src/chat/text/markdown/plain-text.ts"
import { parser } from "../../../../src/chat/text/markdown/rendering/parser.ts"
import { inlineSteps, renderAtOnce, renderWhole } from "../../../../src/chat/text/markdown/rendering/render.ts"
import { highlightCode } from "../../../../src/chat/text/markdown/thread/highlight-code.ts"
import { Random } from "../../../events/model/random.ts"
import { isFull, seed } from "../../../kit/share.ts"
import { randomContent } from "./random-markup.ts"
import { htmlFault } from "./safe-html.ts"
import { someNames, somePreviews } from "./some-names.ts"

/** The quick run tries fewer: its seed moves on. */
const share = isFull ? 1 : 0.3

t.test("random contents become safe HTML", async (t) => {
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  for (let n = 0; n < 5_000 * share; n++) {
    const content = randomContent(random)
    const { html } = renderAtOnce(content, someNames)
    const fault = htmlFault(html)
    if (fault !== undefined) t.fail(fault, { content, html })
    const whole = renderWhole(
      content,
      { ...someNames, previews: somePreviews },
      { math: () => null, highlight: highlightCode },
    )
    const other = htmlFault(whole.html)
    if (other !== undefined) t.fail(other, { content, html: whole.html })
  }
  t.pass("all were safe")
})

t.test("a plain line has the HTML that the parser makes of it", async (t) => {
  const random = new Random(seed)
  const names = { ...someNames, linkifiers: [] }
  const signs = [
    "a",
    "B",
    "www",
    "com",
    "e.g",
    "7",
    "1.",
    " ",
    "  ",
    ".",
    "...",
    ",",
    "-",
    "---",
    "=",
    "===",
    "(",
    ")",
    "'",
    "!",
    "?",
    ";",
    "%",
    "_",
    "*",
  ]
  let plain = 0
  for (let n = 0; n < 20_000; n++) {
    const content = Array.from({ length: random.between(1, 12) }, () => random.pick(signs)).join("")
    const html = plainHtml(content)
    if (html === undefined) continue
    plain += 1
    const parsed = renderAtOnce(content, names).html
    if (html !== parsed) t.same(html, parsed, content)
  }
  t.ok(plain > 1000, `${plain} were plain`)
  for (const content of [
    "a_b",
    "see example.com",
    "a:b",
    "x@y",
    "#x",
    "a  ",
    "1. a",
    "- a",
    "/me a",
    "caf\u00e9",
    "a\nb",
    "a&b",
    "<a",
  ])
    t.equal(plainHtml(content), undefined, content)
})

t.test("the check of the HTML finds what is wrong", async (t) => {
  for (const html of [
    "<script>x</script>",
    '<p onclick="x">a</p>',
    '<a href="javascript:x">a</a>',
    '<a href="//evil.example">a</a>',
    '<a href="data:text/html,x">a</a>',
    "<p>a",
    "a</p>",
    "<p><em>a</p></em>",
    "a < b",
    "a & b",
    '"',
    '<img src="https://evil.example/a.png">',
    '<td style="background: url(x)">a</td>',
    '<a href="/a" style="background-image: url(&quot;https://evil.example/&quot;)">a</a>',
    '<img src="/user_uploads/1/a/b.svg">',
    '<video src="https://evil.example/a.mp4"></video>',
    '<audio controls autoplay="x" src="/user_uploads/a"></audio>',
  ])
    t.not(htmlFault(html), undefined, html)
})

t.test("every mention and link that is rendered was found by its name before", async (t) => {
  const random = new Random(seed)
  const noNames = { ...someNames, users: new Map(), groups: new Map(), channels: new Map() }
  for (let n = 0; n < 2_000 * share; n++) {
    const content = randomContent(random)
    const spoken = namesIn(content)
    const found = {
      ...noNames,
      users: new Map([...someNames.users].filter(([name]) => spoken.users.has(name))),
      groups: new Map([...someNames.groups].filter(([name]) => spoken.groups.has(name))),
      channels: new Map(
        [...spoken.references].flatMap((text) => {
          const read = readChannelReference(text, (name) => someNames.channels.get(name))
          return read === undefined ? [] : [[read.name, read.channel] as const]
        }),
      ),
    }
    const [known, all] = [renderAtOnce(content, found), renderAtOnce(content, someNames)]
    if (known.html !== all.html) t.fail("a name was missed", { content, known: known.html, all: all.html })
  }
  t.pass("none was missed")
})

t.test("the steps for a content grow with its length, not with its square", async (t) => {
  const repeated = [
    "*",
    "*a ",
    "**a*",
    "[",
    "]",
    "[](a",
    "[a](",
    "`",
    "`a``b",
    "@**",
    "@*a",
    "#**a>",
    "> ",
    ">",
    "> a\n",
    "* ",
    "- a\n",
    "1. ",
    "|",
    "|-\n",
    "a|b\n-|-\n",
    "https://a.",
    "a.",
    "a-",
    "http://",
    ":a",
    ":",
    "~~",
    "$$a",
    "<time:",
    "<",
    "&",
    "```\n",
    "```quote\n",
    "~~~quote\n```spoiler x\n",
    "~~~quote\n```\n~~~\n",
    "|a|b|\n|-|-|\n|`|`|c\n",
    "``|`|",
    "[a|",
    "a@",
    "(",
    "http://a.b/(",
    "\n",
    "  ",
    "# ",
    "\\",
    "👍",
    "👩‍",
    "漢.com ",
    "（",
    "（）",
    "”",
    "„“",
    "a（b）",
    "a.co/（",
    "a.co/（b）、",
    "https://a.co/（",
    "https://a.co/（）、",
    "https://a.co/(",
    "https://a.co/&amp;",
    "https:///",
    "&amp;",
    "&#",
    "&a",
    "@",
    "\u0301@",
    "@**a&amp;**",
    "#",
    "#**",
    "#**>**",
    "#**a>>>>>>>>**",
    "https://p.example/a.png ",
    "https://p.example/page\n\n",
    "![a](/user_uploads/2/",
  ]
  /** Calls of rules, and characters that they look at by code: what the time of a content is made of. */
  const stepsFor = (content: string): number => {
    let steps = 0
    const count =
      <A extends ReadonlyArray<unknown>, R>(rule: (...args: [...A]) => R) =>
      (...args: [...A]): R => {
        steps++
        return rule(...args)
      }
    const { block, inline } = parser
    const [blockRules, inlineRules] = [block.ruler.getRules(""), inline.ruler.getRules("")]
    const kept = [[...blockRules], [...inlineRules]] as const
    blockRules.forEach((rule, at) => {
      blockRules[at] = count(rule)
    })
    inlineRules.forEach((rule, at) => {
      inlineRules[at] = count(rule)
    })
    try {
      renderAtOnce(content, { ...someNames, previews: somePreviews })
    } finally {
      blockRules.splice(0, blockRules.length, ...kept[0])
      inlineRules.splice(0, inlineRules.length, ...kept[1])
    }
    return steps
  }
  for (const piece of repeated) {
    const [short, long] = [500, 4000].map((length) => stepsFor(piece.repeat(length / piece.length)))
    t.ok((long ?? 0) <= 12 * (short ?? 0) + 5_000, `${JSON.stringify(piece)}: ${short}, then ${long}`)
  }
})

t.test("linkifiers that take too many steps leave the rest as text", async (t) => {
  const pattern = "(?P<id>a|a[^z]*z)"
  const names = { ...someNames, linkifiers: [{ id: 1, pattern, url_template: "https://a.example/{id}" }] }
  const { html } = renderAtOnce("a ".repeat(2000), names)
  t.equal(htmlFault(html), undefined)
  const links = html.split("<a ").length - 1
  t.ok(links > 0 && links < inlineSteps / 4000, `${links} links`)
})
