/** Every row of the markup with its HTML, apart from what needs the worker (thread.test.ts) or files. */
import t, { type Test } from "tap"
import { noMentions } from "../../../../src/chat/text/markdown/context/rendered.ts"
import { renderAtOnce } from "../../../../src/chat/text/markdown/rendering/render.ts"
import { GroupId, UserId } from "../../../../src/ids.ts"
import { someNames } from "./some-names.ts"

const html = (content: string, names = someNames) => renderAtOnce(content, names).html
const mentions = (content: string) => renderAtOnce(content, someNames).mentions

type Cases = ReadonlyArray<readonly [content: string, html: string]>

/** Each in a paragraph of its own. */
const inParagraph = (t: Test, cases: Cases) => {
  for (const [content, inner] of cases) t.equal(html(content), `<p>${inner}</p>`, content)
}
const whole = (t: Test, cases: Cases) => {
  for (const [content, expected] of cases) t.equal(html(content), expected, content)
}

t.test("paragraphs, lines and emphasis", async (t) => {
  whole(t, [
    ["", ""],
    ["one", "<p>one</p>"],
    ["one\ntwo", "<p>one<br>\ntwo</p>"],
    ["one\n\ntwo\r\n \t\r\n\r\nthree\rfour", "<p>one</p>\n<p>two</p>\n<p>three<br>\nfour</p>"],
    ["a  \nb\\\nc", "<p>a<br>\nb\\<br>\nc</p>"],
  ])
  inParagraph(t, [
    ["**b** *i* ***bi*** ~~s~~", "<strong>b</strong> <em>i</em> <strong><em>bi</em></strong> <del>s</del>"],
    ["***a** b*", "<em><strong>a</strong> b</em>"],
    ["*a **b***", "<em>a <strong>b</strong></em>"],
    ["***a* b**", "<strong><em>a</em> b</strong>"],
    ["*****a*****", "<strong><em><strong>a</strong></em></strong>"],
    ["_a_ __b__ a_b_c", "_a_ __b__ a_b_c"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["a*b*c", "a<em>b</em>c"],
    ["**「あ」**い *（う）*え ~~か。~~き", "<strong>「あ」</strong>い <em>（う）</em>え <del>か。</del>き"],
    ["あ**「い」**う", "あ<strong>「い」</strong>う"],
    ["**Note:**text **Stop.**Go **“q”**r", "<strong>Note:</strong>text <strong>Stop.</strong>Go <strong>“q”</strong>r"],
    ["(a+b)*c + (d+e)*f", "(a+b)*c + (d+e)*f"],
    ["(a-b)**2 + (c-d)**2", "(a-b)**2 + (c-d)**2"],
    ["f′*g + h′*k", "f′*g + h′*k"],
    ["2*(a+b) = 2*(c+d)", "2*(a+b) = 2*(c+d)"],
    ["f(*args, **more) g(*args, **more)", "f(*args, **more) g(*args, **more)"],
    ["\\*a\\*", "\\<em>a\\</em>"],
    ["/me waves", "/me waves"],
    ["/poll Q\nA", "/poll Q<br>\nA"],
  ])
})

t.test("text is escaped, HTML is text, and entities are characters", async (t) => {
  inParagraph(t, [
    [`<script>alert("1 & 2")</script>`, "&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;"],
    ["&lt;b&gt; &amp; &#39;", "&lt;b&gt; &amp; '"],
    ["&amp;lt;b&amp;gt;", "&amp;lt;b&amp;gt;"],
    ["[a]: http://b.example\n[a]", '[a]: <a href="http://b.example">http://b.example</a><br>\n[a]'],
  ])
})

t.test("code", async (t) => {
  const block = (code: string, language = "") =>
    `<div class="codehilite"${language}><pre><span></span><code>${code}</code></pre></div>`
  inParagraph(t, [
    ["`a  b` ``x`y`` `` ` ``", "<code>a  b</code> <code>x`y</code> <code> ` </code>"],
    ["`<b> *c* :smile: @**King Hamlet**`", "<code>&lt;b&gt; *c* :smile: @**King Hamlet**</code>"],
    ["`` a ` b", "`` a ` b"],
  ])
  whole(t, [
    ["```\na < b\n```", block("a &lt; b\n")],
    ["~~~\n```\n~~~", block("```\n")],
    ["```\nopen", block("open\n")],
    ["    indented\n      more", block("indented\n  more\n")],
    ["```py\nx\n```", block("x\n", ' data-code-language="Python"')],
    ["``` C++\nx\n```", block("x\n", ' data-code-language="C++"')],
    ["```NoSuch\nx\n```", block("x\n", ' data-code-language="NoSuch"')],
    ['```"onclick="x\nx\n```', block("x\n", ' data-code-language="&quot;onclick=&quot;x"')],
  ])
  const german = { ...someNames, codeLanguage: "js" }
  t.equal(html("```\nx\n```", german), block("x\n", ' data-code-language="JavaScript"'))
})

t.test("headings, lines, lists and tables", async (t) => {
  whole(t, [
    ["# h\n###### h6", "<h1>h</h1>\n<h6>h6</h6>"],
    ["#h", "<p>#h</p>"],
    ["a\n---\nb", "<p>a</p>\n<hr>\n<p>b</p>"],
    ["text\n* a\n* b\n  * c", "<p>text</p>\n<ul>\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>"],
    ["- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
    ["+ a", "<ul>\n<li>a</li>\n</ul>"],
    ["text\n3. a\n4. b", '<p>text</p>\n<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    [
      "1. a\n  * b\n    * c\n2. d\n   - e",
      "<ol>\n<li>a\n<ul>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n</li>\n<li>d\n<ul>\n<li>e</li>\n</ul>\n</li>\n</ol>",
    ],
    ["10. a\n  1. b", '<ol start="10">\n<li>a\n<ol>\n<li>b</li>\n</ol>\n</li>\n</ol>'],
    ["1. a\n  b", "<ol>\n<li>a<br>\nb</li>\n</ol>"],
    ["1. a", "<ol>\n<li>a</li>\n</ol>"],
    ["In\n1986. It", "<p>In<br>\n1986. It</p>"],
    ...["#", "##", "######", "-", "+", "*", "1.", "12)"].map((alone) => [alone, `<p>${alone}</p>`] as const),
    ["# #", "<p># #</p>"],
    ["# \na", "<p>#<br>\na</p>"],
    ["a\n#\nb", "<p>a<br>\n#<br>\nb</p>"],
    ["a\n-\nb", "<p>a<br>\n-<br>\nb</p>"],
    ["-\n- a", "<p>-</p>\n<ul>\n<li>a</li>\n</ul>"],
    ["> *", "<blockquote>\n<p>*</p>\n</blockquote>"],
    ["* -", "<ul>\n<li>-</li>\n</ul>"],
    ["* a\n*\n* b", "<ul>\n<li>a</li>\n<li></li>\n<li>b</li>\n</ul>"],
    [
      "| a | b |\n|---|:-:|\n| **1** | 2 |",
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th style="text-align: center;">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n' +
        '<td><strong>1</strong></td>\n<td style="text-align: center;">2</td>\n</tr>\n</tbody>\n</table>',
    ],
  ])
})

t.test("quotes and spoilers", async (t) => {
  const spoiler = (header: string, body: string) =>
    `<div class="spoiler-block"><div class="spoiler-header">\n${header}</div>` +
    `<div class="spoiler-content" aria-hidden="true">\n${body}</div></div>`
  const silent = '<span class="user-mention silent" data-user-id="9">King Hamlet</span>'
  whole(t, [
    ["> q\n> r\n\na", "<blockquote>\n<p>q<br>\nr</p>\n</blockquote>\n<p>a</p>"],
    ["> > q", "<blockquote>\n<blockquote>\n<p>q</p>\n</blockquote>\n</blockquote>"],
    ["> @**King Hamlet**", `<blockquote>\n<p>${silent}</p>\n</blockquote>`],
    ["```quote\n@**King Hamlet**\n```\na", `<blockquote>\n<p>${silent}</p>\n</blockquote>\n<p>a</p>`],
    [
      "```quote\na\n```py\nb\n```\nc\n```\nd",
      '<blockquote>\n<p>a</p>\n<div class="codehilite" data-code-language="Python"><pre><span></span><code>b\n' +
        "</code></pre></div>\n<p>c</p>\n</blockquote>\n<p>d</p>",
    ],
    ["```spoiler A *b*\nc\n```", spoiler("<p>A <em>b</em></p>\n", "<p>c</p>\n")],
    ["```spoiler\nc\n```", spoiler("", "<p>c</p>\n")],
  ])
})

t.test("links", async (t) => {
  inParagraph(t, [
    ["[t](https://x.example/a?b=1&c=2)", '<a href="https://x.example/a?b=1&amp;c=2">t</a>'],
    ['[*t*](https://x.example "a <b>")', '<a href="https://x.example" title="a &lt;b&gt;"><em>t</em></a>'],
    ["[t](https://x.example/(a))", '<a href="https://x.example/(a)">t</a>'],
    ["[](https://x.example)", '<a href="https://x.example">https://x.example</a>'],
    ["[t](mailto:a@b.com) [u](a@b.com)", '<a href="mailto:a@b.com">t</a> <a href="mailto:a@b.com">u</a>'],
    ["[t](tel:+123)", '<a href="tel:+123">t</a>'],
    ["[t](example.com/a)", '<a href="https://example.com/a">t</a>'],
    ["[t](/#narrow/x) [u](#narrow/x)", '<a href="/#narrow/x">t</a> <a href="#narrow/x">u</a>'],
    ["[t](https://chat.example.com/#narrow/x)", '<a href="/#narrow/x">t</a>'],
    ["https://CHAT.example.com/help", '<a href="/help">https://CHAT.example.com/help</a>'],
    ["[t](https://chat.example.com.evil.com/)", '<a href="https://chat.example.com.evil.com/">t</a>'],
    ["[t](https://chat.example.com//evil.com)", '<a href="https://chat.example.com//evil.com">t</a>'],
    ["[t](chat.example.com/#narrow/x) [u](Chat.Example.com)", '<a href="/#narrow/x">t</a> <a href="/">u</a>'],
    ["[t](chat.example.com.evil.com/)", '<a href="https://chat.example.com.evil.com/">t</a>'],
    ["[a](user_uploads/2/f.txt)", '<a href="/user_uploads/2/f.txt">a</a>'],
  ])
  const refused = ["javascript:alert(1)", "JaVaScRiPt:a", "vbscript:a", "data:text/html,a", "file:///a", "//evil.com"]
  const hidden = [
    "/\\evil.com",
    "javascript&#58;a",
    "java%0ascript:a",
    "\u0001javascript:a",
    "java\u00adscript:a",
    "blob:a",
  ]
  for (const address of [...refused, ...hidden, "x y", "", "http://", "https:/\\"])
    t.notMatch(html(`[t](${address}) [t](<${address}>)`), /<a /, address)
})

t.test("addresses in text", async (t) => {
  const link = (url: string, shown = url) => `<a href="${url}">${shown}</a>`
  inParagraph(t, [
    ["https://x.example/a_b*c*d", link("https://x.example/a_b*c*d")],
    [
      "see https://x.example/a_(b). (https://y.example)",
      `see ${link("https://x.example/a_(b)")}. (${link("https://y.example")})`,
    ],
    [
      "example.com, google.co.uk/x?y=1!",
      `${link("https://example.com", "example.com")}, ${link("https://google.co.uk/x?y=1", "google.co.uk/x?y=1")}!`,
    ],
    ["a.b@c.com", link("mailto:a.b@c.com", "a.b@c.com")],
    ["README.md main.py a.java e.g. 1.2 v1.2.3 a.nosuch", "README.md main.py a.java e.g. 1.2 v1.2.3 a.nosuch"],
    ["xhttps://a.example", "xhttps://a.example"],
    ["javascript:alert(1)", "javascript:alert(1)"],
    [`https://a.example/"onclick="x`, `${link("https://a.example/")}&quot;onclick=&quot;x`],
    [
      "#123 (#45) a#67",
      `${link("https://issues.example.com/123", "#123")} (${link("https://issues.example.com/45", "#45")}) a#67`,
    ],
    ["https://a.example/#123", link("https://a.example/#123")],
    ["**see https://x.com**", `<strong>see ${link("https://x.com")}</strong>`],
    ["*see https://x.com/a*, b", `<em>see ${link("https://x.com/a")}</em>, b`],
    ["~~https://x.com~~", `<del>${link("https://x.com")}</del>`],
    ["(**https://x.com/**.)", `(<strong>${link("https://x.com/")}</strong>.)`],
    ["***https://x.com/a?b***", `<strong><em>${link("https://x.com/a?b")}</em></strong>`],
    ["https://x.com/*", `${link("https://x.com/")}*`],
  ])
  const numbered = link("https://issues.example.com/12", "#12")
  inParagraph(t, [
    ["**x.com**", `<strong>${link("https://x.com", "x.com")}</strong>`],
    ["*x.com*", `<em>${link("https://x.com", "x.com")}</em>`],
    ["**a@b.com**", `<strong>${link("mailto:a@b.com", "a@b.com")}</strong>`],
    ["**#12**", `<strong>${numbered}</strong>`],
    ["x.com", link("https://x.com", "x.com")],
    ["#12", numbered],
  ])
})

t.test("mentions", async (t) => {
  const user = (shown: string, silent = "") => `<span class="user-mention${silent}" data-user-id="9">${shown}</span>`
  const all = (shown: string, silent = "") =>
    `<span class="user-mention channel-wildcard-mention${silent}" data-user-id="*">${shown}</span>`
  const group = (id: number, shown: string, silent = "") =>
    `<span class="user-group-mention${silent}" data-user-group-id="${id}">${shown}</span>`
  inParagraph(t, [
    [
      "@**King Hamlet**, @**|9** (@**king hamlet|9**)",
      `${user("@King Hamlet")}, ${user("@King Hamlet")} (${user("@King Hamlet")})`,
    ],
    ["@_**King Hamlet**", user("King Hamlet", " silent")],
    ["@**Gone**", '<span class="user-mention silent" data-user-id="10">Gone</span>'],
    ["@**A <b>**", '<span class="user-mention" data-user-id="11">@A &lt;b&gt; &quot;c&quot;</span>'],
    ["@**nobody** x@**King Hamlet**", "@<strong>nobody</strong> x@<strong>King Hamlet</strong>"],
    ["@**all** @_**everyone** @**channel**", `${all("@all")} ${all("everyone", " silent")} ${all("@channel")}`],
    [
      "@**topic** @_**topic**",
      '<span class="topic-mention">@topic</span> <span class="topic-mention silent">topic</span>',
    ],
    ["@*team* @_*team* @*old*", `${group(20, "@team")} ${group(20, "team", " silent")} ${group(21, "old", " silent")}`],
    [
      "@_*role:administrators* @*role:administrators*",
      `${group(6, "Administrators", " silent")} @<em>role:administrators</em>`,
    ],
    ["@*nobody*", "@<em>nobody</em>"],
  ])
  t.strictSame(mentions("@**King Hamlet** @*team* @**|9** @**all** @**topic** @*team*"), {
    users: [UserId(9)],
    groups: [GroupId(20)],
    channelWildcard: true,
    topicWildcard: true,
  })
  const quiet = [
    "`@**all**`",
    "> @**all** @*team*",
    "```\n@**all**\n```",
    "```quote\n@**topic**\n```",
    "@_**all** @_**topic**",
  ]
  for (const content of [...quiet, "@**Gone** @*old*", "[@**King Hamlet**](https://a.example)", "    @**all**"])
    t.strictSame(mentions(content), noMentions, content)
  t.strictSame(mentions("> q\n\n@**King Hamlet**").users, [UserId(9)])
})

t.test("links to channels, topics and messages", async (t) => {
  const link = (kind: string, id: number, href: string, shown: string) =>
    `<a class="${kind}" data-stream-id="${id}" href="/#narrow/channel/${href}">${shown}</a>`
  const general = "<em>general chat</em>"
  inParagraph(t, [
    ["#**Verona**", link("stream", 3, "3-Verona", "#Verona")],
    ["#**a & b**", link("stream", 4, "4-a-.26-b", "#a &amp; b")],
    ["#**Verona>topic x**", link("stream-topic", 3, "3-Verona/topic/topic.20x/with/214", "#Verona &gt; topic x")],
    ["#**Verona>a/b.c%**", link("stream-topic", 3, "3-Verona/topic/a.2Fb.2Ec.25", "#Verona &gt; a/b.c%")],
    ["#**Verona>t@214**", link("message-link", 3, "3-Verona/topic/t/near/214", "#Verona &gt; t @ 💬")],
    ["#**Verona>@214**", link("message-link", 3, "3-Verona/topic//near/214", `#Verona &gt; ${general} @ 💬`)],
    ["#**a & b>**", link("stream-topic", 4, "4-a-.26-b/topic/with/7", `#a &amp; b &gt; ${general}`)],
    ["#**hidden** #**hidden>t**", "#<strong>hidden</strong> #<strong>hidden&gt;t</strong>"],
    ["a#**Verona**", "a#<strong>Verona</strong>"],
  ])
})

t.test("emoji and moments", async (t) => {
  const emoji = (name: string, code: string) => {
    const title = name.replaceAll("_", " ")
    return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`
  }
  const image = (name: string, source: string) =>
    `<img alt=":${name}:" class="emoji" src="${source}" title="${name.replaceAll("_", " ")}">`
  const time = (moment: string, shown: string) => `<time datetime="${moment}">${shown}</time>`
  const wrong = (text: string) => `<span class="timestamp-error">Invalid time format: ${text}</span>`
  const june = "2017-06-05T22:30:00Z"
  inParagraph(t, [
    [":smile: :thumbs_up: 10:30:45", `${emoji("smile", "1f642")} ${emoji("thumbs_up", "1f44d")} 10:30:45`],
    ["a👍 \u2764\ufe0f 👍🏽 ↔", `a${emoji("+1", "1f44d")} ${emoji("heart", "2764")} 👍🏽 ↔`],
    [
      ":party: :octopus:",
      `${image("party", "/user_avatars/2/emoji/images/1.png")} ${image("octopus", "/user_avatars/2/emoji/images/2.png")}`,
    ],
    [":zulip:", image("zulip", "/static/generated/emoji/images/emoji/unicode/zulip.png")],
    [":no_such_emoji:", ":no_such_emoji:"],
    ["👍", emoji("+1", "1f44d")],
    ["\u2764\ufe0f", emoji("heart", "2764")],
    ["👍\n👍", `${emoji("+1", "1f44d")}<br>\n${emoji("+1", "1f44d")}`],
    ["[👍](https://x.com)", `<a href="https://x.com">${emoji("+1", "1f44d")}</a>`],
    ["**👍**", `<strong>${emoji("+1", "1f44d")}</strong>`],
    [`<time:${june}>`, time(june, june)],
    ["<time:1496701800>", time(june, "1496701800")],
    ["<time:2017-06-06T00:30+02:00>", time(june, "2017-06-06T00:30+02:00")],
    ["<time:Jun 5th 2017, 10:30pm>", time(june, "Jun 5th 2017, 10:30pm")],
    ["<time:Mon, 5 June 2017 22:30:00 GMT>", time(june, "Mon, 5 June 2017 22:30:00 GMT")],
    ["<time:2017-06-05>", time("2017-06-05T00:00:00Z", "2017-06-05")],
    ["<time:foo 1> <time:2017-13-45>", `${wrong("foo 1")} ${wrong("2017-13-45")}`],
    ["<time:9999999999999>", wrong("9999999999999")],
    [
      "<time:2024-02-29> <time:29 Feb 2024>",
      `${time("2024-02-29T00:00:00Z", "2024-02-29")} ${time("2024-02-29T00:00:00Z", "29 Feb 2024")}`,
    ],
    ["<time:2017-06-30T23:30-02:00>", time("2017-07-01T01:30:00Z", "2017-06-30T23:30-02:00")],
    ...["2023-02-30T10:00:00Z", "2023-02-29", "2023-04-31", "Feb 30 2023", "31 June 2023, 10am", "2023-01-00"].map(
      (text) => [`<time:${text}>`, wrong(text)] as const,
    ),
  ])
  whole(t, [
    ["> 👍", `<blockquote>\n<p>${emoji("+1", "1f44d")}</p>\n</blockquote>`],
    ["* 👍", `<ul>\n<li>${emoji("+1", "1f44d")}</li>\n</ul>`],
    ["# 👍", `<h1>${emoji("+1", "1f44d")}</h1>`],
  ])
  t.match(html("|a|\n|-|\n|👍|"), `<td>${emoji("+1", "1f44d")}</td>`)
})

t.test("formulas are shown as code where there is no worker", async (t) => {
  whole(t, [
    ["$$x<1$$ costs $5 or $6", "<p><code>$$x&lt;1$$</code> costs $5 or $6</p>"],
    ["```math\nx^2\n```", "<p><code>x^2</code></p>"],
  ])
})

t.test("what is nested deeply is flattened, and what is repeated stays small", async (t) => {
  const deepest = (text: string) => {
    let [depth, most] = [0, 0]
    for (const [tag] of text.matchAll(/<(?!br|hr|img)\/?[^>]*>/g)) {
      depth += tag.startsWith("</") ? -1 : 1
      most = Math.max(most, depth)
    }
    return most
  }
  const quotes = (count: number) => `${"> ".repeat(count)}a`
  const lists = Array.from({ length: 100 }, (_, n) => `${"  ".repeat(n)}* a`).join("\n")
  const fences = Array.from({ length: 50 }, (_, n) => `${"`".repeat(60 - n)}quote`).join("\n")
  for (const content of [quotes(100), lists, fences, `${"*a ".repeat(300)}${"a* ".repeat(300)}`])
    t.ok(deepest(html(content)) <= 24, content.slice(0, 20))
  t.match(html(quotes(100)), /a<\/p>/)
  t.ok(html(`|${"a|".repeat(160)}\n|${"-|".repeat(160)}\n${"|\n".repeat(160)}`).length < 20_000)
  t.equal(html("👍".repeat(1001)).split("<span").length, 1001)
})
