/** Which fence closes which, for quotes, spoilers, formulas and code within each other. PARLEY_SEED=<seed>: other contents. */
import t, { type Test } from "tap"
import { renderAtOnce } from "../../../../../src/chat/text/markdown/rendering/render.ts"
import { Random } from "../../../../events/model/random.ts"
import { seed } from "../../../../kit/share.ts"
import { htmlFault } from "../safe-html.ts"
import { someNames } from "../some-names.ts"

const html = (lines: string) => renderAtOnce(lines, someNames).html

/** The blocks as `quote[...]`, `spoiler[...]`, `math{...}`, `code{...}`, with the texts in them. */
const outline = (lines: string): string =>
  html(lines)
    .replace(/<div class="spoiler-block"><div class="spoiler-header">\n/g, "spoiler[")
    .replace(/<\/div><div class="spoiler-content" aria-hidden="true">\n/g, ": ")
    .replace(/<div class="codehilite"[^>]*><pre><span><\/span><code>([\s\S]*?)<\/code><\/pre><\/div>/g, "code{$1}")
    .replace(/<p><code>([\s\S]*?)<\/code><\/p>/g, "math{$1}")
    .replace(/\n?<\/blockquote>|\n?<\/div><\/div>/g, "]")
    .replace(/<blockquote>/g, "quote[")
    .replace(/<br>\n/g, "/")
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([[\]{}]) ?/g, "$1")
    .trim()

const same = (t: Test, cases: ReadonlyArray<readonly [lines: string, expected: string]>) => {
  for (const [lines, expected] of cases) t.equal(outline(lines), expected, lines)
}

t.test("a bare fence that closes an outer block ends what is open in it", async (t) => {
  same(t, [
    ["~~~quote\n```\ncode\n~~~\nafter", "quote[code{code}]after"],
    ["~~~quote\n```py\ncode\n~~~\nafter", "quote[code{code}]after"],
    ["```quote\n~~~\ncode\n```\nafter", "quote[code{code}]after"],
    ["```quote\na\n~~~math\nx\n```\nafter", "quote[a math{x}]after"],
    ["````quote\n```\ncode\n````\nafter", "quote[code{code}]after"],
    ["````quote\n```spoiler h\na\n````\nafter", "quote[spoiler[h : a]]after"],
    ["~~~quote\n```spoiler h\na\n~~~\nafter", "quote[spoiler[h : a]]after"],
    ["~~~~spoiler h\n~~~quote\na\n~~~~\nafter", "spoiler[h : quote[a]]after"],
    ["`````quote\n````quote\n```quote\n~~~\na\n`````\nafter", "quote[quote[quote[code{a}]]]after"],
    ["`````quote\n````quote\n```js\na\n````\nb\n`````\nafter", "quote[quote[code{a}]b]after"],
    ["~~~spoiler h\n```quote\na\n~~~~~\nafter", "spoiler[h : quote[a]]after"],
    ["```quote\n~~~ruby\na\n```\n```spoiler h\n~~~\nb\n```\nc", "quote[code{a}]spoiler[h : code{b}]c"],
    ["~~~quote\n```\na\n~~~\nb\n~~~quote\n```\nc\n~~~\nd", "quote[code{a}]b quote[code{c}]d"],
    ["~~~quote\n```\na\n~~~\nb\n```py\nc\n```\nd", "quote[code{a}]b code{c}d"],
    ["````quote\n~~~\na\n````\nb\n~~~\nc\n~~~\n````quote\nd\n````\ne", "quote[code{a}]b code{c}quote[d]e"],
    ["````quote\n```\na\n````\n\n````quote\n```\nb\n````\nc", "quote[code{a}]quote[code{b}]c"],
  ])
})

t.test("in lists and in quotes of the other form", async (t) => {
  same(t, [
    ["> ~~~quote\n> ```\n> a\n> ~~~\n> b\n\nc", "quote[quote[code{a}]b]c"],
    ["> ````spoiler h\n> ```quote\n> a\n> ````\n> b", "quote[spoiler[h : quote[a]]b]"],
    ["- ~~~quote\n  ```\n  a\n  ~~~\n  b\n- c", "quote[code{a}]b c"],
    ["1. ````quote\n   ```spoiler h\n   a\n   ````\n2. b", "quote[spoiler[h : a]]b"],
    ["- ~~~quote\n  ```\n  a\n- b", "quote[code{a}]b"],
    ["~~~quote\n> ```\n> a\n~~~\nb", "quote[quote[code{a}]]b"],
    ["~~~quote\n- ```\n  a\n~~~\nb", "quote[code{a}]b"],
    ["~~~quote\n1. a\n   - ```\n     b\n~~~\nc", "quote[a code{b}]c"],
  ])
})

t.test("what is closed by fences of its own stays whole", async (t) => {
  same(t, [
    ["```quote\n```py\na\n```\nb\n```\nc", "quote[code{a}b]c"],
    ["```quote\n```spoiler h\n```\na\n```\n```\nb\n```\nc", "quote[spoiler[h :]a]code{b}c"],
    ["````quote\n```quote\na\n```\nb\n````\nc", "quote[quote[a]b]c"],
    ["```quote\n~~~\n```\n~~~\n```\na", "quote[code{```}]a"],
    ["```quote\n~~~\n```py\nx\n```\n~~~\nb\n```\na", "quote[code{```py x ```}b]a"],
    ["```spoiler h\n````md\n```py\nx\n```\n````\n```\na", "spoiler[h : code{```py x ```}]a"],
    ["~~~quote\n```spoiler h\n~~~\ncode\n~~~\n```\n~~~\na", "quote[spoiler[h : code{code}]]a"],
    ["````\n```quote\na\n```\n````\nb", "code{```quote a ```}b"],
    ["```\n~~~\na\n```\nb", "code{~~~ a}b"],
    ["~~~\n```\n~~~", "code{```}"],
    ["```py\na\n~~~\n````\nb", "code{a ~~~}b"],
    ["```quote\na\n````\nb", "quote[a]b"],
    ["```math\nx\n```\n```quote\ny\n```", "math{x}quote[y]"],
    // Nothing closes the outer ones.
    ["```quote\n~~~spoiler h\na\n~~~\nb", "quote[spoiler[h : a]b]"],
    ["~~~quote\n```\na", "quote[code{a}]"],
    ["```quote\n``\na\n~~\n```\nb", "quote[``/a/~~]b"],
    ["```quote\n~~~\na\n    ```\n~~~\n```\nb", "quote[code{a ```}]b"],
  ])
})

t.test("open blocks are looked at in steps that grow with a content's length, however deep", async (t) => {
  const { findLastIndex } = Array.prototype
  const stepsFor = (lines: string): number => {
    let steps = 0
    Array.prototype.findLastIndex = function (this: ReadonlyArray<unknown>, is) {
      return findLastIndex.call(this, (...each) => {
        steps++
        return is(...each)
      })
    }
    try {
      html(lines)
    } finally {
      Array.prototype.findLastIndex = findLastIndex
    }
    return steps
  }
  for (const [open, bare] of [
    ["~~~quote\n", "```\n"],
    ["~~~~quote\n", "~~~\n"],
    ["````quote\n", "~~~\n```\n"],
    ["````spoiler h\n", "```quote\n~~~\n"],
  ] as const) {
    const [short, long] = [100, 800].map((n) => stepsFor(open.repeat(n) + bare.repeat(n)))
    t.ok((long ?? 0) <= 12 * (short ?? 0), `${open}${bare}: ${short}, then ${long}`)
  }
  for (const kind of ["quote", "spoiler h"]) {
    const shown = html(`${`~~~${kind}\n`.repeat(150)}a\n${"~~~\n".repeat(150)}b`)
    t.match(shown, /\ba\b/, kind)
    t.ok(shown.endsWith("\n<p>b</p>"), kind)
    t.equal(htmlFault(shown), undefined, kind)
  }
})

t.test("blocks of any marks end with what is around them, and nothing in them is lost", async (t) => {
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  const marks = ["```", "````", "~~~", "~~~~"]
  for (let n = 0; n < 3000; n++) {
    let words = 0
    const lines = Array.from({ length: random.between(2, 16) }, () => {
      const before = random.chance(0.2) ? random.pick(["> ", "- ", "  ", "1. "]) : ""
      const what = random.chance(0.6) ? random.pick(marks) + random.pick(["", "", "quote", "spoiler"]) : `w${words++}.`
      return before + what
    }).join("\n")
    const shown = html(lines)
    const missing = Array.from({ length: words }, (_, word) => `w${word}.`).filter((word) => !shown.includes(word))
    if (missing.length > 0) t.fail("lost", { lines, shown, missing })
    const fault = htmlFault(shown)
    if (fault !== undefined) t.fail(fault, { lines, shown })
  }
  for (let n = 0; n < 500; n++) {
    const [outer, inner] = [
      random.pick(["`````", "~~~~~"]),
      () => random.pick(marks) + random.pick(["", "quote", "spoiler", "py"]),
    ]
    const open = Array.from({ length: random.between(1, 4) }, (_, at) => `${inner()}\nw${at}.`).join("\n")
    const shown = html(`${outer}quote\n${open}\n${outer}\nafter`)
    if (!shown.endsWith("</blockquote>\n<p>after</p>")) t.fail("still open", { open, shown })
  }
  t.pass("all ended")
})
