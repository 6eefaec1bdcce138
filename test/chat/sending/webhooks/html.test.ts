/** Descriptions with HTML in them: what is hidden there is not shown here, code stays as it is, and nothing takes long. */
import t from "tap"
import { withoutHtml } from "../../../../src/chat/sending/webhooks/formats/html.ts"
import { quote } from "../../../../src/chat/sending/webhooks/formats/quote.ts"
import { isCheap } from "../../../kit/processor-time.ts"

const picture = '<img width="10" alt="A [pic]" src="https://e.example/a.png">'

t.test("HTML becomes Markdown, or goes", async (t) => {
  const cases: ReadonlyArray<readonly [html: string, markdown: string]> = [
    ["<!-- Please tick -->\n\n## What\n\n<!-- a\n```\nb -->\nDone", "\n## What\n\nDone"],
    ["a <!-- x --> b<!---->c<!-->d<!--->e", "a  bcde"],
    ["a <!-- never closed", "a <!-- never closed"],
    ["a\n<!-- never closed\nb", "a\n"],
    ["<?php x ?>a<![CDATA[ <b> ]]>b", "ab"],
    ['[//]: # (hidden)\na\n[comment]: <> "b"\n[1]: https://e.example', "a\n[1]: https://e.example"],
    ["a<br>b<br/>\nc", "a\nb\nc"],
    ["| a<br>b | c |", "| a b | c |"],
    [picture, "[A &#91;pic&#93;](https://e.example/a.png)"],
    ['<img src="x.png"> ![p](https://e.example/p.png) wow![x]', "image [p](https://e.example/p.png) wow![x]"],
    ['<a href="https://e.example/?a=1&amp;b=2">a <b>c</b></a>', "[a c](https://e.example/?a=1&b=2)"],
    [`<a href="https://e.example">${picture}</a>`, "[A &#91;pic&#93;](https://e.example)"],
    ["[![ci](https://e.example/a.svg)](https://e.example/ci)", "[ci](https://e.example/ci)"],
    ["<a href='javascript:x'>j</a>", "j"],
    ["a\n<details>\n<summary>Logs</summary>\n\n```\n</details>\n```\nlong\n</details>\nb", "a\nLogs [...]\n\nb"],
    ["<details><summary>a</summary><details>b</details>c</details>d", "a [...]\nd"],
    ["a <details>open", "a \n[...]"],
    ['<h1 align="center">T</h1><p>a</p><ul><li>b</li><li>c</li></ul>', "T\na\n* b\n* c\n"],
    [
      "a < b > c, 1<2, <https://e.example>, <a@e.example>, \\<b>",
      "a < b > c, 1<2, <https://e.example>, <a@e.example>, \\<b>",
    ],
    ["`<b> <!-- a -->` ``<b>``", "`<b> <!-- a -->` ``<b>``"],
    ["- ```html\n  <b>\n  ```\n  <b>a</b>", "- ```html\n  <b>\n  ```\n  a"],
    ["> ~~~\n> <b>\n> ~~~\n> <b>a</b>", "> ~~~\n> <b>\n> ~~~\n> a"],
    ["    <!-- code -->\n\na\n    <!-- none -->b", "    <!-- code -->\n\na\n    b"],
    ["* item\n\n    <!-- none -->in it", "* item\n\n    in it"],
    ["`a <b>c</b>\n\nd`", "`a c\n\nd`"],
  ]
  for (const [html, markdown] of cases) t.equal(withoutHtml(html), markdown, html)
})

t.test("what is empty then is no quote, and none ends early", async (t) => {
  for (const text of ["<!-- a -->", " \r\n<!-- a -->\r\n\r\n<!-- b\r\n-->", "<p></p>", "[//]: # (a)"])
    t.equal(quote(text), "", text)
  t.equal(quote("~~<b></b>~~\n@**all**"), "\n~~~~ quote\n~~~\n@**all**\n~~~~")
})

t.test("emoji are those that are meant there", async (t) => {
  t.equal(quote(":x: :smile: :tada: `:x:`\n```\n:x:\n```"), "\n~~~~ quote\n❌ 😄 :tada: `:x:`\n```\n:x:\n```\n~~~~")
})

const fills =
  '<!--|<|<a |<a b="|<a b=\'" c="\'|<b a="<b b=" c="|`|`a``b```c|`\n\n|```\n|~~~\n> |<details>|<summary>|' +
  '<details><summary>|<details></details>|<a href="https://e">|</a>|<a href=\'https://e\'>x</a>|<br>|<img alt="[" src=https://e>|' +
  "![|![](|[![|[//]: # (|[a]: # (\n|\\|    \n    x\n\n|* a\n    |<?|<![CDATA[|<a\t|<a \n\n|:x:|:a|&amp;|<a b=&#1;>| \n|1. ```|\t|<li>"

t.test("no text takes more than its share of time", async (t) => {
  const isFast = (text: string, most: number) => isCheap(() => void quote(text), most)
  const all = fills.split("|")
  const times = (fill: string, length: number) => fill.repeat(Math.ceil(length / fill.length))
  // Of each text of a payload 20,000 characters are looked at.
  t.strictSame(
    all.filter((fill) => !isFast(times(fill, 20_000), 15)),
    [],
  )
  t.strictSame(
    all.filter((fill) => !isFast(times(fill, 200_000), 200)),
    [],
  )
})
