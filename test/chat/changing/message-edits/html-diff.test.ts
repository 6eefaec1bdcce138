/** The changes of an edit, as HTML. PARLEY_SEED=<seed> makes other contents, PARLEY_COUNT=<n> more of them. */
import * as Effect from "effect/Effect"
import t from "tap"
import { htmlDiff as compare, mostCompared } from "../../../../src/chat/changing/message-edits/html-diff.ts"
import { renderWhole } from "../../../../src/chat/text/markdown/rendering/render.ts"
import { highlightCode } from "../../../../src/chat/text/markdown/thread/highlight-code.ts"
import { renderMath } from "../../../../src/chat/text/markdown/thread/render-math.ts"
import { Random } from "../../../events/model/random.ts"
import { isFull, seed } from "../../../kit/share.ts"
import { randomContent } from "../../text/markdown/random-markup.ts"
import { htmlFault } from "../../text/markdown/safe-html.ts"
import { someNames } from "../../text/markdown/some-names.ts"

const count = Number(process.env["PARLEY_COUNT"] ?? (isFull ? 500 : 100))

const htmlDiff = (before: string, after: string) => Effect.runPromise(compare(before, after))

const [deleted, inserted] = ["deleted", "inserted"].map((each) => `<span class="highlight_text_${each}">`)

/** Without the spans of one kind, with all that they hold, and without all tags and white space. */
const textWithout = (html: string, span = ""): string => {
  let [text, depth, hidden] = ["", 0, Number.POSITIVE_INFINITY]
  for (const [part] of html.matchAll(/<[^<>]*>|[^<]+/g)) {
    if (part.startsWith("<span")) {
      depth += 1
      if (part === span) hidden = Math.min(hidden, depth)
    } else if (part === "</span>") {
      if (hidden === depth) hidden = Number.POSITIVE_INFINITY
      depth -= 1
    } else if (!part.startsWith("<") && depth < hidden) text += part
  }
  return text.replace(/\s+/gu, "")
}

/** The first rule that a difference breaks, of those that must hold of each. */
const diffFault = async (before: string, after: string): Promise<string | undefined> => {
  const diff = await htmlDiff(before, after)
  if (diff === undefined) return before.length + after.length > mostCompared ? undefined : "there is none"
  // The tags of formulas are not among those that the check knows.
  const fault = /<(?:math|svg)/.test(diff) ? undefined : htmlFault(diff)
  if (fault !== undefined) return `${fault}: ${diff}`
  if (textWithout(diff, deleted) !== textWithout(after)) return `not the new text: ${diff}`
  if (textWithout(diff, inserted) !== textWithout(before)) return `not the old text: ${diff}`
  // A span is around texts only, or around whole formulas.
  const spans = diff.matchAll(/<span class="highlight_text_\w+">(<[^>]*>)?/g)
  for (const [whole, tag] of spans) if (tag !== undefined && !/katex|math|svg/.test(tag)) return `${whole} in ${diff}`
  return undefined
}

t.test("the difference of any two contents is well-formed, and holds both texts", async (t) => {
  t.comment(`seed ${seed}`)
  const random = new Random(seed)
  const render = (content: string) =>
    renderWhole(content, someNames, { math: renderMath, highlight: highlightCode }).html

  let marks = 0
  for (let n = 0; n < count; n++) {
    const content = randomContent(random)
    const at = random.between(0, content.length)
    const similar = content.slice(0, at) + random.pick(["", "x", " word ", "\n\n", "**"]) + content.slice(at + 2)
    const other = random.chance(0.5) ? similar : randomContent(random)
    const [before, after] = [render(content), render(other)]
    const fault = await diffFault(before, after)
    if (fault !== undefined) t.fail(fault, { n, content, other, before, after })
    if ((await htmlDiff(before, after))?.includes("highlight_text") === true) marks += 1
  }
  t.ok(marks > count / 2, `${marks} had marks`)
})

t.test("words that were replaced are marked", async (t) => {
  const diff = async (before: string, after: string) =>
    (await htmlDiff(before, after))
      ?.replaceAll(deleted ?? "", "[-")
      .replaceAll(inserted ?? "", "[+")
      .replaceAll("</span>", "]")
  for (const [before, after, expected] of [
    ["<p>a before c</p>", "<p>a after c</p>", "<p>a [-before][+after] c</p>"],
    ["<p>a b c</p>", "<p>x y z</p>", "<p>[-a b c][+x y z]</p>"],
    ["<p>a b</p>", "<p>a <strong>b</strong></p>", "<p>a <strong>b</strong></p>"],
    ["<p>a</p>", "<p>a <strong>b</strong> c</p>", "<p>a[+ ]<strong>[+b]</strong>[+ c]</p>"],
    ["<p>a &lt;b</p>", "<p>a &gt;b</p>", "<p>a [-&lt;][+&gt;]b</p>"],
    ["<p>one</p>\n<p>two</p>", "<p>one</p>", "<p>one[-\ntwo]</p>"],
    ["<p>one</p>\n<p>two</p>", "<p>two</p>", "<p>[-one\n]two</p>"],
    ["<p>gone</p>", "<hr>", "<hr><p>[-gone]</p>"],
    ["<ul>\n<li>a</li>\n</ul>", "<ul>\n<li>b</li>\n</ul>", "<ul>\n<li>[-a][+b]</li>\n</ul>"],
  ] as const)
    t.equal(await diff(before, after), expected, before)
})

t.test("long and quite different versions are shown as two, and the longest not at all", async (t) => {
  const wordsOf = (sign: string, count: number) =>
    `<p>${Array.from({ length: count }, (_, n) => `${sign}${n}`).join(" ")}</p>`
  const [before, after] = [wordsOf("a", 3000), wordsOf("b", 3000)]
  t.equal(await diffFault(before, after), undefined)
  t.equal((await htmlDiff(before, after))?.split("highlight_text").length, 3)
  t.equal(await htmlDiff(before, wordsOf("b", 20_000)), undefined)
  t.equal(await htmlDiff("<p>a", "<p>b</p>"), undefined)
  t.equal(await htmlDiff("<p>a</p>", "<p>b</p></p>"), undefined)
  const many = `<p>${"<em>a</em>".repeat(3000)}</p>`
  t.equal(await htmlDiff("<p>b</p>", many), undefined, "spans would take more than the versions")
})
