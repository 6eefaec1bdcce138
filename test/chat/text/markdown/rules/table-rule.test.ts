/** Tables: where their rows are cut, and that nothing which was typed is lost in them. PARLEY_SEED=<seed>: other rows. */
import t from "tap"
import { renderAtOnce } from "../../../../../src/chat/text/markdown/rendering/render.ts"
import { Random } from "../../../../events/model/random.ts"
import { seed } from "../../../../kit/share.ts"
import { htmlFault } from "../safe-html.ts"
import { someNames } from "../some-names.ts"

const html = (content: string) => renderAtOnce(content, someNames).html

/** The HTML of each cell, row by row; empty where there is no table. */
const cellsIn = (content: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...html(content).matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => cell),
  )
const rowOf = (row: string): ReadonlyArray<string> | undefined => cellsIn(`| a | b |\n|---|---|\n${row}`)[1]

const link = (path: string, text: string) => `<a href="https://x.example/${path}">${text}</a>`
const code = (text: string) => `<code>${text}</code>`

t.test("a cell is not cut within what holds a pipe", async (t) => {
  const hamlet = '<span class="user-mention" data-user-id="9">@King Hamlet</span>'
  const rows: ReadonlyArray<readonly [row: string, first: string, second: string]> = [
    ["| `p|q` | c |", code("p|q"), "c"],
    ["`p|q` | c", code("p|q"), "c"],
    ["| c | `p|q` |", "c", code("p|q")],
    ["c | `p|q|`", "c", code("p|q|")],
    ["|`|`|`||`|", code("|"), code("||")],
    ["| ``p|`q`` | ```|``|``` |", code("p|`q"), code("|``|")],
    ["| a `p|q` b `r|s` | `t` |", `a ${code("p|q")} b ${code("r|s")}`, code("t")],
    ["| `日|本` | **`п|р`** |", code("日|本"), `<strong>${code("п|р")}</strong>`],
    ["| `<b>|&` | c |", code("&lt;b&gt;|&amp;"), "c"],
    // Backticks that close nothing are text, and what stands between them is cut.
    ["| `p | q |", "`p", "q"],
    ["| ``p|q` |", "``p", "q`"],
    ["| `p ``|`` q |", `\`p ${code("|")} q`, ""],
    // Written for programs that cut within code.
    ["| `p\\|q` | r \\| s |", code("p|q"), "r | s"],
    ["| \\| | \\|\\| |", "|", "||"],
    ["| `\\|` \\| `|` | c |", `${code("|")} | ${code("|")}`, "c"],
    ["| c:\\\\x | \\d |", "c:\\\\x", "\\d"],
    ["| $$a|b$$ | $$\\|x\\|$$ |", code("$$a|b$$"), code("$$\\|x\\|$$")],
    ["| $5 | $$6 |", "$5", "$$6"],
    ["| @**king hamlet|9** | @**|9** |", hamlet, hamlet],
    ["| @**King Hamlet** | @**b |", hamlet, "@**b"],
    ["| [p|q](https://x.example/) | [r](https://x.example/s|t) |", link("", "p|q"), link("s|t", "r")],
  ]
  for (const [row, first, second] of rows) t.same(rowOf(row), [first, second], row)
  t.same(cellsIn("| `p|q` | #**no | such** |\n|---|---|\n| 1 | 2 |"), [
    [code("p|q"), "#<strong>no | such</strong>"],
    ["1", "2"],
  ])
})

t.test("rows with more cells than there are heads widen the table, others are filled", async (t) => {
  const cases: ReadonlyArray<readonly [content: string, cells: ReadonlyArray<ReadonlyArray<string>>]> = [
    [
      "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| 4 |",
      [
        ["a", "b", ""],
        ["1", "2", "3"],
        ["4", "", ""],
      ],
    ],
    [
      "a|\n-|\n1|2||3",
      [
        ["a", "", "", ""],
        ["1", "2", "", "3"],
      ],
    ],
    [
      "|a|b|\n|-|-|\n|1|2| | |\n||",
      [
        ["a", "b"],
        ["1", "2"],
        ["", ""],
      ],
    ],
    [
      "> |a|b|\n> |-|-|\n> |1|2|3",
      [
        ["a", "b", ""],
        ["1", "2", "3"],
      ],
    ],
    [
      "- |a|b|\n  |-|-|\n  |1|2|3",
      [
        ["a", "b", ""],
        ["1", "2", "3"],
      ],
    ],
    [
      "|אב|\n|-|\n|ג|ד|",
      [
        ["אב", ""],
        ["ג", "ד"],
      ],
    ],
    [
      "|a|b|\n|-|-|\ntext",
      [
        ["a", "b"],
        ["text", ""],
      ],
    ],
    ["|a|b|\n|-|-|", [["a", "b"]]],
  ]
  for (const [content, cells] of cases) t.same(cellsIn(content), cells, content)
  t.match(html("|a|b|\n|:-:|-:|\n|1|2|3|"), '<td style="text-align: right;">2</td>\n<td>3</td>')
})

t.test("what is no table is text", async (t) => {
  for (const content of [
    "|a|b|\n|-|",
    "|a|\n|-|-|",
    "a|b\n- |-",
    "|a|b|\n|-|x|",
    "|a|b|\n||-|",
    "|\n|-|",
    "a\n|-|",
    "`a|b`|\n-|-",
  ])
    t.notMatch(html(content), "<table>", content)
  t.match(html("|a|b|\n|-|-|\n|1|2|\n- c | d\n"), /<\/table>\n<ul>\n<li>c \| d/)
  t.match(html("|a|b|\n|-|-|\n|1|2|\n\nc | d\n"), /<\/table>\n<p>c \| d/)
})

t.test("a row that would make too many cells stands below its table", async (t) => {
  const wide = Array.from({ length: 300 }, (_, n) => `w${n}`)
  const content = `|a|b|\n|-|-|\n${"|1|2|\n".repeat(100)}${wide.join("|")}\n`
  t.ok(html(content).length < 20_000)
  t.match(html(content), `<p>${wide.join("|")}</p>`)
  t.ok(html(`|a|\n|-|\n${"|".repeat(9000)}x\n${"|\n".repeat(400)}`).length < 200_000)
})

t.test("nothing that is typed into a table is lost", async (t) => {
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  const pieces = [
    "|",
    "|",
    "|",
    " ",
    "`",
    "``",
    "\\",
    "\\|",
    "$$",
    "[",
    "](",
    ")",
    "@**",
    "#**",
    "**",
    "~~",
    "é",
    "漢",
    "🎉",
    ":",
  ]
  for (let n = 0; n < 3000; n++) {
    let words = 0
    const line = () =>
      Array.from({ length: random.between(1, 14) }, () =>
        random.chance(0.4) ? `w${words++}.` : random.pick(pieces),
      ).join("")
    const content = `|${line()}|${line()}\n|-|-|\n${Array.from({ length: random.between(0, 4) }, () => `|${line()}`).join("\n")}`
    const shown = html(content)
    const missing = Array.from({ length: words }, (_, word) => `w${word}.`).filter((word) => !shown.includes(word))
    if (missing.length > 0) t.fail("lost", { content, shown, missing })
    const fault = htmlFault(shown)
    if (fault !== undefined) t.fail(fault, { content, shown })
  }
  t.pass("all was there")
})
