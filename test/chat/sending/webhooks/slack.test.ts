/** Slack's messages as Markdown: its marks and escapes, every kind of part that its documents name, and what is too much. */
import t from "tap"
import { slack } from "../../../../src/chat/sending/webhooks/formats/slack/slack.ts"
import { noMentions } from "../../../../src/chat/text/markdown/context/rendered.ts"
import { renderAtOnce } from "../../../../src/chat/text/markdown/rendering/render.ts"
import { isCheap } from "../../../kit/processor-time.ts"
import { someNames } from "../../text/markdown/some-names.ts"
import { attachments, blocks } from "./slack-parts.ts"

const said = (payload: unknown): string => {
  const heard = slack(payload, "")
  return "content" in heard ? heard.content : JSON.stringify(heard)
}

t.test("a text is read once, with links, code and mentions as units", async (t) => {
  const cases: ReadonlyArray<readonly [text: string, markdown: string]> = [
    ["<https://e.example/?a=1|a &lt;b&gt; &amp; c>", "[a <b> & c](https://e.example/?a=1)"],
    ["<https://e.example/?a=1&amp;b=2>", "[https://e.example/?a=1&b=2](https://e.example/?a=1&b=2)"],
    ["&amp;lt; &lt;b&gt; `&lt;` <@U1|a &amp; b>", "&amp;lt; <b> `<` @a & b"],
    ["<b> a < b and c > d", "<b> a < b and c > d"],
    ["*<https://e.example/1|PR 1>*", "**[PR 1](https://e.example/1)**"],
    ["<https://e.example|*label* `x`>", "[**label** `x`](https://e.example)"],
    ["*see `x*y` now* _<@U1|iago>_ ~<#C1|lobby>~", "**see `x*y` now** *@iago* ~~#lobby~~"],
    ["_*both*_ *_x_* *a _b_ c*", "***both*** ***x*** **a *b* c**"],
    ["“*q*” (*p*) [_i_], *a*: ~s~. :x:*y*", "“**q**” (**p**) &#91;*i*&#93;, **a**: ~~s~~. ❌**y**"],
    ["**two** marks", "**two** marks"],
    ["5 * 3 * 2, a*b*c, snake_case_x, 2*3", "5 &#42; 3 &#42; 2, a&#42;b&#42;c, snake_case_x, 2&#42;3"],
    ["src/*.ts and test/*.ts, (*) and (*)", "src/&#42;.ts and test/&#42;.ts, (&#42;) and (&#42;)"],
    ["*a _b* c_ *open", "**a _b** c_ &#42;open"],
    ["*no\nline*", "&#42;no\nline&#42;"],
    ["https://e.example/_a_/b *https://e.example/c*", "https://e.example/_a_/b **https://e.example/c**"],
    ["&gt; *quoted*\nafter\n>>> the\nrest", "> **quoted**\n\nafter\n> the\n> rest"],
    ["a\n- b\n1. c", "a\n&#45; b\n&#49;. c"],
    ["a ```*b* &amp;``` c", "a \n~~~~\n*b* &\n~~~~\n c"],
    ["```open", "~~~~\nopen\n~~~~"],
    ["<!here> <!subteam^S1|@ops> <!subteam^S1>", "@here @ops @S1"],
    ["<!date^1700000000^{date}|day> <!date^x^{date}|day>", "<time:2023-11-14T22:13:20.000Z> day"],
    ["<mailto:a@e.example|mail> <tel:123>", "mail 123"],
    ["\uE000*a*\uE000 `b`", "**a** `b`"],
  ]
  for (const [text, markdown] of cases) t.equal(said({ text }), markdown, text)
  t.equal(said({ text: "*a* &amp; <b>", mrkdwn: false }), "&#42;a&#42; & <b>")
})

t.test("Slack's names of emoji are Slack's emoji", async (t) => {
  const cases: ReadonlyArray<readonly [text: string, markdown: string]> = [
    [":x: :smile: :medal: :up:", "❌ 😄 🎖️ 🆙"],
    [":white_check_mark: :heavy_check_mark: :thumbsup: :+1:", ":white_check_mark: :heavy_check_mark: :thumbsup: :+1:"],
    [":large_green_circle: :simple_smile: :waving_white_flag:", "🟢 🙂 🏳️"],
    [":flag-nl: :male-cook: :woman-golfing: :man-girl-boy: :star-struck:", "🇳🇱 👨‍🍳 🏌️‍♀️ 👨‍👧‍👦 🤩"],
    [":wave::skin-tone-2: :point_up::skin-tone-6: :skin-tone-3:", "👋🏻 ☝🏿 🏼"],
    ["10:30:x: a:b: :parrot: :x::x: *:x:*", "10:30❌ a:b: :parrot: ❌❌ **❌**"],
    ["`:x:` <https://e.example/:x:|:x:> ```:x:```", "`:x:` [❌](https://e.example/:x:) \n~~~~\n:x:\n~~~~"],
  ]
  for (const [text, markdown] of cases) t.equal(said({ text }), markdown, text)
  const plain = { type: "plain_text", text: ":x: a" }
  t.equal(said({ blocks: [{ type: "header", text: plain }] }), "## ❌ a")
  t.equal(said({ attachments: [{ title: ":x: a" }] }), "❌ a")
  t.equal(said({ blocks: [{ type: "markdown", text: ":x: `:x:`\n```\n:x:\n```" }] }), "❌ `:x:`\n```\n:x:\n```")
  const rich = [
    { type: "emoji", name: "x" },
    { type: "emoji", name: "wave", skin_tone: 4 },
    { type: "text", text: ":x:" },
  ]
  t.equal(
    said({ blocks: [{ type: "rich_text", elements: [{ type: "rich_text_section", elements: rich }] }] }),
    "❌👋🏽❌",
  )
})

t.test("every kind of part is shown", async (t) => {
  for (const { block, markdown } of blocks) t.equal(said({ blocks: [block] }), markdown, JSON.stringify(block))
  for (const { attachment, markdown } of attachments)
    t.equal(said({ attachments: [attachment] }), markdown, JSON.stringify(attachment))
})

t.test("blocks and attachments are never refused", async (t) => {
  for (const part of [{}, { type: "future", id: "x" }, null, 1, "", [[]], { type: "actions", elements: [] }]) {
    t.strictSame(slack({ blocks: [part] }, ""), { ignoredEvent: "" })
    t.strictSame(slack({ attachments: [part] }, ""), { ignoredEvent: "" })
    t.match(slack({ blocks: [part], text: "in words" }, ""), { content: "in words" })
  }
  t.match(slack({ blocks: [], attachments: [] }, ""), { refused: String })
})

t.test("nothing of it mentions anybody", async (t) => {
  const names = "@**all** @**King Hamlet** @*hamletcharacters* <@**all**> *@**all*** <!channel> <@U1|**all**>"
  const text = { type: "mrkdwn", text: names }
  const parts = [
    ...["header", "section", "alert"].map((type) => ({ type, text })),
    { type: "markdown", text: `${names}\n\`\`\`\n${names}` },
    { type: "table", rows: [[text, text]] },
    { type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text", text: names }] }] },
    { type: "future", some_text: names, items: [{ label: names }] },
  ]
  const attachment = { title: names, text: names, author_name: names, fields: [{ title: names, value: names }] }
  for (const payload of [{ text: names }, { attachments: [attachment] }, ...parts.map((part) => ({ blocks: [part] }))])
    t.strictSame(renderAtOnce(said(payload), someNames).mentions, noMentions, JSON.stringify(payload))
})

const repeated = (fill: string, length: number): string => fill.repeat(Math.ceil(length / fill.length))
const times = <A>(count: number, item: A): ReadonlyArray<A> => Array.from({ length: count }, () => item)

t.test("what is cut says so", async (t) => {
  t.match(said({ text: "x".repeat(9000) }), /^x{7994} &#91;\.\.\.&#93;$/)
  t.match(said({ text: `\`\`\`${"x".repeat(9000)}` }), /x \[\.\.\.\]\n~~~~$/)
  t.ok(said({ text: repeated("\u{1F600}", 30_000) }).isWellFormed())
  const section = { type: "section", text: { type: "mrkdwn", text: "x".repeat(100) } }
  t.match(said({ blocks: times(1000, section) }), /\n\[\.\.\.\]$/)
  t.match(said({ text: "y", attachments: times(5000, { color: "x" }) }), /^y\n\n\[\.\.\.\]$/)
  t.match(said({ blocks: [{ type: "markdown", text: `\`\`\`\n${"x".repeat(9000)}` }] }), /x \[\.\.\.\]\n```$/)
})

/** What might take more than a share of the time that its length would have. */
const fills = [
  "*",
  "*a ",
  "*a* ",
  "~a_b*c ",
  "`",
  "```a",
  "<@",
  "<https://a|",
  "<!date^1^",
  "&amp;",
  "https://*",
  ":x:",
  ":a",
  ":wave::skin-tone-2",
  "\n",
  "> ",
  "\u{1F600}",
]

const hostile = (fill: string): ReadonlyArray<object> => {
  const text = { type: "mrkdwn", text: repeated(fill, 200) }
  let nested: object = { type: "mrkdwn", text: repeated(fill, 8000) }
  for (let level = 0; level < 28; level++) nested = { type: "future", items: [nested, { label: repeated(fill, 8000) }] }
  return [
    { text: repeated(fill, 900_000) },
    { blocks: times(3000, { type: "section", text }) },
    {
      blocks: [
        {
          type: "rich_text",
          elements: [{ type: "rich_text_section", elements: times(3000, { type: "text", text: text.text }) }],
        },
      ],
    },
    { blocks: [{ type: "table", rows: times(60, times(50, text)) }] },
    { attachments: [{ fields: times(3000, { title: text.text, value: text.text }) }] },
    { blocks: [nested] },
  ]
}

t.test("no message takes long", async (t) => {
  const payloads = [...fills.flatMap(hostile), { blocks: times(300_000, "") }, { blocks: times(300_000, 1) }]
  const dear = payloads.filter((payload) => !isCheap(() => void slack(payload, ""), 15))
  t.strictSame(
    dear.map((payload) => JSON.stringify(payload).slice(0, 100)),
    [],
  )
})
