/** Where addresses, mentions and links to channels begin and end in texts of many scripts, and entities in them. */
import t, { type Test } from "tap"
import {
  type NamedChannel,
  namesIn,
  readChannelReference,
} from "../../../../src/chat/text/markdown/context/markdown-names.ts"
import { renderAtOnce } from "../../../../src/chat/text/markdown/rendering/render.ts"
import { findAddresses } from "../../../../src/chat/text/markdown/rules/web-addresses.ts"
import { ChannelId, MessageId } from "../../../../src/ids.ts"
import { htmlFault } from "./safe-html.ts"
import { someNames } from "./some-names.ts"

const channel = (id: number, name: string, newest: NamedChannel["newest"] = new Map()) =>
  [name, { id: ChannelId(id), name, newest } satisfies NamedChannel] as const
const names = {
  ...someNames,
  linkifiers: [],
  channels: new Map<string, NamedChannel>([
    ...someNames.channels,
    channel(20, "a"),
    channel(21, "a>b"),
    channel(22, "x > y"),
    channel(23, ">"),
    channel(24, "p -> q", new Map([["t > u", MessageId(9)]])),
  ]),
}
const html = (content: string) => renderAtOnce(content, names).html

type Cases = ReadonlyArray<readonly [content: string, html: string]>
const inParagraph = (t: Test, cases: Cases) => {
  for (const [content, inner] of cases) t.equal(html(content), `<p>${inner}</p>`, content)
}

/** The addresses that a content links, in order. */
const linked = (content: string) => Array.from(html(content).matchAll(/ href="([^"]*)"/g), ([, href]) => href)

const [ab, bc] = ["https://example.com/a", "https://b.example"]

t.test("a bare address ends at what closes around it, in any script", async (t) => {
  const around =
    "() [] {} （） ［］ ｛｝ 「」 『』 【】 〈〉 《》 〔〕 〖〗 ｢｣ ﹁﹂ ︵︶ ⟨⟩ ⸨⸩ “” „“ ”” «» »« ‹› ›‹ ‘’ ‚‘ ‟” 〝〟 ⁅⁆"
  for (const pair of around.split(" ")) {
    const [open = "", close = ""] = pair
    for (const behind of ["", "x", "です", " b", ".", "，", "。", `${close}${close}`])
      t.strictSame(linked(`${open}${ab}${close}${behind}`), [ab], `${pair} ${behind}`)
    t.strictSame(linked(`${open}${ab}${close}${open}${bc}${close}`), [ab, bc], pair)
    t.strictSame(linked(`${open}${bc}${close}`), [bc], `${pair} at the host`)
  }
  inParagraph(t, [
    [`（${ab}），看`, `（<a href="${ab}">${ab}</a>），看`],
    [`**${ab}。**`, `<strong><a href="${ab}">${ab}</a>。</strong>`],
    [`（*${ab}*）`, `（<em><a href="${ab}">${ab}</a></em>）`],
  ])
})

t.test("and what is opened in it stays", async (t) => {
  const wholes = [
    "https://en.example.org/wiki/x_(y)",
    "https://en.example.org/wiki/x_(y)_(z(w))",
    "https://e.example/?a[]=1&b[2]=3",
    "https://e.example/{id}/x",
    "https://e.example/「あ」い",
    "https://e.example/《书》（第二版）",
    "https://de.example/wiki/„Foo“",
    "https://e.example/“x”/‘y’",
    "https://fr.example/«x»",
    "https://[::1]:80/a",
    "https://e.example/a・b",
    "https://e.example/レオナルド・ダ・ヴィンチ",
    "https://e.example/a,b;c:d!e",
  ]
  for (const whole of wholes) {
    t.strictSame(
      linked(whole).map((href) => href?.replaceAll("&amp;", "&")),
      [whole],
      whole,
    )
    for (const [open, close] of ["()", "（）", "「」", "“”"])
      t.equal(linked(`${open}${whole}${close}`)[0]?.replaceAll("&amp;", "&"), whole, `${open}${whole}${close}`)
  }
  const explicit = "https://e.example/a）。b”"
  t.strictSame(linked(`[t](${explicit}) [u](<${explicit}>)`), [explicit, explicit], "explicit links are what they are")
})

t.test("marks of a sentence end it: at once where no space follows them, else at its end", async (t) => {
  for (const mark of [..."。，、！？；：．｡､…︒﹐﹒﹖", "……", "។", "။", "၊", "།", "๚"]) {
    t.strictSame(linked(`${ab}${mark}`), [ab], mark)
    t.strictSame(linked(`${ab}${mark}次の文`), [ab], mark)
    t.strictSame(linked(`${ab}${mark}${bc}${mark}`), [ab, bc], mark)
    t.strictSame(linked(`https://example.com${mark}あ`), ["https://example.com"], `${mark} at the host`)
  }
  for (const mark of [..."।؟،؛۔։።᠃;", "...", "?!", '!"', "'", "＂"]) t.strictSame(linked(`${ab}${mark} x`), [ab], mark)
})

t.test("what opens and does not close in it is text, and so are brackets at its host", async (t) => {
  for (const [content = "", ...addresses] of [
    [`${ab}（未 完）`, ab],
    [`${ab}「`, ab],
    [`${ab}(b c)`, `${ab}(b`],
    ["https://example.com（备注）", "https://example.com"],
    ["https://example.com(note)", "https://example.com"],
    ["https://example.com[1]", "https://example.com"],
    ["https://example.com:80「a」", "https://example.com:80"],
    ["https://{host}/a"],
    [`${ab}(x。y)`, ab],
    [`${ab}（${bc}（c。d）e）`, ab, bc],
    [`${ab}（${bc}/（c）d（${ab}。））${bc}。`, ab, `${bc}/（c）d`, ab, bc],
    [`${ab}\u200b次`, ab],
  ])
    t.strictSame(linked(content), addresses, content)
})

t.test("addresses without a scheme, and several in a run without spaces", async (t) => {
  for (const [content = "", ...addresses] of [
    ["（example.com）（example.org/x）", "https://example.com", "https://example.org/x"],
    ["見て、example.com。次「a.b@example.com」", "https://example.com", "mailto:a.b@example.com"],
    ["example.com（备注）", "https://example.com"],
    ["a@example.com、b@example.com。", "mailto:a@example.com", "mailto:b@example.com"],
    ["[example.com] {example.com} “example.com”", ...Array.from({ length: 3 }, () => "https://example.com")],
    ["app.run() array.name(x) foo.name[0] obj.name{}"],
    ["main.py（README.md）、v1.2.3"],
  ])
    t.strictSame(linked(content), addresses, content)
  const topic = `${ab}、（${bc}）。example.com`
  t.strictSame(
    findAddresses(topic).map(({ start, end, url }) => [topic.slice(start, end), url]),
    [
      [ab, ab],
      [bc, bc],
      ["example.com", "https://example.com"],
    ],
    "in topics, too",
  )
})

t.test("the addresses of a text are found in steps that grow with its length, not with its square", async (t) => {
  const { charCodeAt } = String.prototype
  const stepsFor = (text: string) => {
    let steps = 0
    String.prototype.charCodeAt = function (at) {
      steps++
      return charCodeAt.call(this, at)
    }
    try {
      findAddresses(text)
    } finally {
      String.prototype.charCodeAt = charCodeAt
    }
    return steps
  }
  const pieces = [
    "（.",
    "（）.",
    "“.",
    "”.",
    "a.co（",
    "a.co/（",
    "a.co/（）",
    "a.co/（b）、",
    "a.co/(",
    "https://a.co/（",
  ]
  for (const piece of [
    ...pieces,
    "https://%/（",
    "https://a.co/）",
    "a@b.co「",
    "（a.a",
    "a.co、",
    "https:///a.co/（",
  ]) {
    const [short, long] = [1000, 8000].map((length) => stepsFor(piece.repeat(length / piece.length)))
    t.ok((long ?? 0) <= 12 * (short ?? 0) + 1000, `${piece}: ${short}, then ${long}`)
  }
  // What breaks off the innermost one of nested brackets, all of which are closed behind it.
  for (const [open, middle, close] of [
    ["a.co/（", "。", "）"],
    ["a.co/（b）（", "。", "）"],
    ["a.co/(", "，", ")"],
    ["a.co/「", "〉", "」"],
    ["a.co(", "（x）", ")"],
    ["https://a.co/（", "。", "）"],
    ["https://[a.co/（", "、", "）"],
  ] as const) {
    const [short, long] = [125, 1000].map((n) => stepsFor(open.repeat(n) + middle + close.repeat(n)) / n)
    t.ok((long ?? 0) <= 1.02 * (short ?? 0), `${open}${middle}${close}: ${short}, then ${long} for each`)
  }
})

t.test("entities are characters, and never markup", async (t) => {
  const link = (href: string, shown: string) => `<a href="${href}">${shown}</a>`
  inParagraph(t, [
    ["[#general > a &#96; b](#narrow/channel/1-general)", link("#narrow/channel/1-general", "#general &gt; a ` b")],
    ["[a &#93;&#91; &lt;b&gt;](/x)", link("/x", "a ][ &lt;b&gt;")],
    [
      "&amp; &lt; &gt; &quot; &apos; &copy; &NotEqualTilde; &CounterClockwiseContourIntegral;",
      "&amp; &lt; &gt; &quot; ' © ≂̸ ∳",
    ],
    [
      "&#38; &#x26; &#X26; &#00038; &#128578;",
      '&amp; &amp; &amp; &amp; <span aria-label="smile" class="emoji emoji-1f642" role="img" title="smile">:smile:</span>',
    ],
    ["&amp;lt;script&amp;gt; &#38;lt; &amp;amp;amp;", "&amp;lt;script&amp;gt; &amp;lt; &amp;amp;amp;"],
    ["&lt;img src=x onerror=alert(1)&gt;", "&lt;img src=x onerror=alert(1)&gt;"],
    ["&#42;a&#42; &#42;&#42;b** &#96;c&#96; &#126;&#126;d~~ &#36;$x$$", "*a* **b** `c` ~~d~~ $$x$$"],
    [
      "&#91;t](https://a.example) &#58;smile: &#64;**all** &#35;**a**",
      `[t](${link("https://a.example", "https://a.example")}) :smile: @<strong>all</strong> #<strong>a</strong>`,
    ],
    ["*&auml;* **&uuml;**", "<em>ä</em> <strong>ü</strong>"],
    // What names no character stays as it is typed.
    ["&#0; &#x0; &#8; &#xb; &#x7f; &#x80;", "&amp;#0; &amp;#x0; &amp;#8; &amp;#xb; &amp;#x7f; &amp;#x80;"],
    [
      "&#x110000; &#99999999; &#xd800; &#xdfff; &#xfffe; &#xfdd0;",
      "&amp;#x110000; &amp;#99999999; &amp;#xd800; &amp;#xdfff; &amp;#xfffe; &amp;#xfdd0;",
    ],
    [
      "&nosuch; &copyx; &ampx; &AMPx; &amp &copy &; &#; &#x; &#xg; &#1234567890;",
      "&amp;nosuch; &amp;copyx; &amp;ampx; &amp;AMPx; &amp;amp &amp;copy &amp;; &amp;#; &amp;#x; &amp;#xg; &amp;#1234567890;",
    ],
    ["`&amp;` ``&#96;`` $$&lt;$$", "<code>&amp;amp;</code> <code>&amp;#96;</code> <code>$$&amp;lt;$$</code>"],
  ])
  for (const code of ["```\n&lt;\n```", "    &lt;"]) t.match(html(code), "<code>&amp;lt;\n</code>", code)
  t.equal(html("|a|\n|-|\n|x &#124; y|").split("<td>").at(1)?.split("<").at(0), "x | y")
  for (const name of ["# &amp;", "> &amp;", "* &amp;", "```spoiler &amp;\n&amp;\n```"])
    t.match(html(name), /&amp;(?!amp;)/, name)
})

t.test("entities in addresses are characters, too, which are checked and escaped afterwards", async (t) => {
  for (const [content = "", ...addresses] of [
    ['[t](https://e.example/?a=1&amp;b=2 "x")', "https://e.example/?a=1&amp;b=2"],
    ["[](https://e.example/?a&amp;b)", "https://e.example/?a&amp;b"],
    ["[t](https://e.example/&quot;onclick=&quot;x)", "https://e.example/&quot;onclick=&quot;x"],
    ["[t](https://e.example/&amp;quot;)", "https://e.example/&amp;quot;"],
    ["https://e.example/?a=1&amp;b=2", "https://e.example/?a=1&amp;b=2"],
    ["&lt;https://e.example/?a=1&amp;b=2&gt;", "https://e.example/?a=1&amp;b=2"],
    ["https://e.example/a&quot;b", "https://e.example/a"],
    ["https://e.example/a&#41;b", "https://e.example/a"],
    ["https://e.example/a&nbsp;b", "https://e.example/a"],
    ["https://e.example/a&#46;", "https://e.example/a"],
    ["https://e.example/a&nosuch;b", "https://e.example/a&amp;nosuch;b"],
    ["example.com/?a=1&amp;b=2", "https://example.com/?a=1&amp;b=2"],
    ["[t](javascript&#58;alert&#40;1&#41;) [t](&#106;avascript&colon;x) [t](java&Tab;script:x) [t](&#1;javascript:x)"],
    ["[t](&sol;&sol;evil.example) [t](/&#47;evil.example) [t](/&#92;evil.example) [t](data&colon;text/html,x)"],
    ["javascript&#58;alert(1)"],
  ]) {
    t.strictSame(linked(content), addresses, content)
    t.equal(htmlFault(html(content)), undefined, content)
  }
  t.equal(
    html('[t](/x "&quot; onclick=&quot;y &amp;lt;")'),
    '<p><a href="/x" title="&quot; onclick=&quot;y &amp;lt;">t</a></p>',
  )
})

t.test("mentions and links to channels count where no word ends before them", async (t) => {
  const counts = (before: string) => {
    const { html, mentions } = renderAtOnce(`${before}@**King Hamlet**${before}@*team*${before}#**Verona**`, names)
    const isLinked = html.includes('class="stream"')
    t.equal(mentions.groups.length === 1 && mentions.users.length === 1, isLinked, `${before}: all alike`)
    return isLinked
  }
  for (const before of [
    ..."（「：，。、看あアー々ກကកꀀ/-=_.#@|&",
    "cc:",
    "ที่",
    "བོད་",
    "👍🏽",
    "❤️",
    "1️⃣",
    "&gt;",
    "&#65288;",
    "*",
    "\\",
  ])
    t.equal(counts(before), true, before)
  for (const before of ["a", "é", "e\u0301", "я", "ש", "مَ", "कि", "가", "7", "٣", "१", "&#97;", "&eacute;", "𝐚"])
    t.equal(counts(before), false, before)
  t.match(
    html("*@**King Hamlet*** `x`@**King Hamlet**"),
    /<em><span class="user-mention".*<\/code><span class="user-mention"/,
  )
  t.match(html("a&amp;lt;@**King Hamlet**"), "user-mention", "what only looks like an entity")
})

t.test("names of channels may hold the divider, and the longest one that exists counts", async (t) => {
  const link = (kind: string, id: number, href: string, shown: string) =>
    `<a class="${kind}" data-stream-id="${id}" href="/#narrow/channel/${href}">${shown}</a>`
  inParagraph(t, [
    ["#**x > y**", link("stream", 22, "22-x-.3E-y", "#x &gt; y")],
    ["#**x > y>t**", link("stream-topic", 22, "22-x-.3E-y/topic/t", "#x &gt; y &gt; t")],
    ["#**x > y>t > u**", link("stream-topic", 22, "22-x-.3E-y/topic/t.20.3E.20u", "#x &gt; y &gt; t &gt; u")],
    ["#**x > y>t@12**", link("message-link", 22, "22-x-.3E-y/topic/t/near/12", "#x &gt; y &gt; t @ 💬")],
    [
      "#**x > y>@12**",
      link("message-link", 22, "22-x-.3E-y/topic//near/12", "#x &gt; y &gt; <em>general chat</em> @ 💬"),
    ],
    ["#**p -> q>t > u**", link("stream-topic", 24, "24-p--.3E-q/topic/t.20.3E.20u/with/9", "#p -&gt; q &gt; t &gt; u")],
    ["#**a**", link("stream", 20, "20-a", "#a")],
    ["#**a>b**", link("stream", 21, "21-a.3Eb", "#a&gt;b")],
    ["#**a>b>c**", link("stream-topic", 21, "21-a.3Eb/topic/c", "#a&gt;b &gt; c")],
    ["#**a>c>b**", link("stream-topic", 20, "20-a/topic/c.3Eb", "#a &gt; c&gt;b")],
    ["#**>**", link("stream", 23, "23-.3E", "#&gt;")],
    ["#**>>t**", link("stream-topic", 23, "23-.3E/topic/t", "#&gt; &gt; t")],
    ["#**x > z** #**>t** #**x >**", "#<strong>x &gt; z</strong> #<strong>&gt;t</strong> #<strong>x &gt;</strong>"],
    [
      "#**a>2 &#42; 3 &amp; 4 &#96;**",
      link("stream-topic", 20, "20-a/topic/2.20.2A.203.20.26.204.20.60", "#a &gt; 2 * 3 &amp; 4 `"),
    ],
    ["#**a>t&#64;12**", link("stream-topic", 20, "20-a/topic/t.4012", "#a &gt; t@12")],
    ["#**a>&amp;lt;b&amp;gt;**", link("stream-topic", 20, "20-a/topic/.26lt.3Bb.26gt.3B", "#a &gt; &amp;lt;b&amp;gt;")],
  ])
  let lookedFor = 0
  readChannelReference("a&gt;>".repeat(40), () => {
    lookedFor++
  })
  t.equal(lookedFor, 82, "each beginning once as written, once decoded")
  t.strictSame([...namesIn("#**a>b>c** `#**a>b>c**` #**x**").references], ["a>b>c", "x"], "each once")
})
