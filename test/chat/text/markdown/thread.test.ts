/** The renderer's thread: formulas, highlighted code, time limits, turns. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import t from "tap"
import { makeRenderWorker } from "../../../../src/chat/text/markdown/thread/render-worker-client.ts"
import { Clock } from "../../../../src/clock.ts"
import { type LimitName, Refusals } from "../../../../src/fairness/refusals.ts"
import { manualClock } from "../../../kit/manual-clock.ts"
import { inTurn } from "../../../kit/share.ts"
import { someNames } from "./some-names.ts"

const refused: Array<LimitName> = []
const services = Layer.mergeAll(
  // It stands still: on a busy machine the thread may start for longer than a job waits.
  Layer.succeed(Clock, manualClock()),
  Layer.succeed(Refusals, { note: (limit) => void refused.push(limit), counts: () => new Map() }),
)

const run = <A, E>(effect: Effect.Effect<A, E, Clock | Refusals | Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.scoped(effect), services))

/** The HTML that the thread makes of each content, one after the other. */
const renderAll = (contents: ReadonlyArray<string>) =>
  run(
    Effect.gen(function* () {
      const { render } = yield* makeRenderWorker()
      return yield* Effect.forEach(contents, (content) =>
        Effect.map(render("one", { content, names: someNames }), ({ html }) => html),
      )
    }),
  )

t.test("formulas are KaTeX's, and nothing in them links, loads or styles", async (t) => {
  const [inline = "", wrong, block = "", ...hostile] = await renderAll([
    "a $$x^2$$ b",
    "$$\\frac{$$ and $$x$$",
    "```math\nx<2\n```",
    "$$\\href{javascript:alert(1)}{x}$$",
    "$$\\url{https://evil.example}$$",
    "$$\\includegraphics{https://evil.example/a.png}$$",
    "$$\\htmlClass{a}{x} \\htmlId{a}{x} \\htmlStyle{color:red}{x} \\htmlData{a=b}{x}$$",
    "$$\\def\\a{\\a\\a}\\a$$",
    "$$\\textcolor{red;background:url(https://evil.example)}{x}$$",
    "$$\\text{<img src=x onerror=alert(1)>}$$",
    "$$\\rule{9999em}{9999em}$$",
  ])
  t.match(inline, /^<p>a <span class="katex"><span class="katex-mathml"><math /)
  t.match(
    inline,
    /<annotation encoding="application\/x-tex">x\^2<\/annotation>.*<span class="katex-html" aria-hidden="true">/,
  )
  t.match(inline, / b<\/p>$/)
  t.match(wrong, /^<p><span class="tex-error">\$\$\\frac\{\$\$<\/span> and <span class="katex">/)
  t.match(block, /^<p><span class="katex-display"><span class="katex">.*x&lt;2.*<\/span><\/p>$/)
  for (const html of hostile) {
    t.notMatch(html, /<(?!\/?(p|span|math|semantics|mrow|mstyle|mtext|mi|mo|mn|annotation|mspace|mpadded)\b)/)
    const tags = html.match(/<[^>]*>/g) ?? []
    t.notMatch(tags.join(""), /href|src|url|9999|id=|data-/)
  }
})

t.test(
  "the parts of formulas have the class names that clients know",
  inTurn(2, "the parts of formulas have the class names that clients know"),
  async (t) => {
    const formulas = [
      "\\large x^2 \\sqrt[3]{y} \\frac{a}{b}",
      "\\overline{a} \\underline{b} \\rule{1em}{1em} \\llap{x} \\smash{x} \\vcenter{x}",
      "\\begin{array}{c|c}a&b\\\\\\hline c&d\\\\\\hdashline\\end{array}",
      "\\xrightarrow{a} \\widehat{abc} \\hat x \\sout{q} \\boxed{x} \\vec{v} a\\\\b",
      '\\text{a class="katex-base" b}',
    ]
    const blocks = formulas.map((tex) => `\`\`\`math\n${tex}\n\`\`\``)
    const html = (await renderAll([...blocks, "```math\n\\tag{1} x\n```"])).join("\n")
    const names = new Set([...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, found = ""]) => found.split(" ")))
    const frames = ["katex", "katex-display", "katex-html", "katex-mathml"]
    t.strictSame([...names].filter((name) => name.startsWith("katex")).sort(), frames)
    const parts =
      "accent base fix hdashline hline inner newline overlay overline root rule sizing smash sout stretchy strut tag thinbox underline vbox"
    for (const name of parts.split(" ")) t.ok(names.has(name), name)
    t.match(html, "class=&quot;katex-base&quot;", "what is text stays")
  },
)

t.test(
  "code is highlighted with the classes that clients have styles for",
  inTurn(2, "code is highlighted with the classes that clients have styles for"),
  async (t) => {
    const [python, script, unknown, long] = await renderAll([
      "```py\ndef f(x):\n    # c\n    return 'a' + \"b\" + 0x1f + 1.5\n```",
      "```js\nconst a = 1 /* c */\n```",
      "```nosuch\na < b\n```",
      `**b** ${"a ".repeat(1000)}`,
    ])
    t.equal(
      python,
      '<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="k">def</span> ' +
        '<span class="nf">f</span>(x):\n    <span class="c1"># c</span>\n    <span class="k">return</span> ' +
        '<span class="s1">&#x27;a&#x27;</span> + <span class="s2">&quot;b&quot;</span> + <span class="mh">0x1f</span> + ' +
        '<span class="mf">1.5</span>\n</code></pre></div>',
    )
    t.match(script, '<span class="k">const</span> a = <span class="mi">1</span> <span class="cm">/* c */</span>')
    t.match(unknown, 'data-code-language="nosuch"><pre><span></span><code>a &lt; b\n</code>')
    t.match(long, /^<p><strong>b<\/strong> a a/)
  },
)

t.test("a job that takes too long is refused, and the next one has its turn", inTurn(2, "long jobs"), async (t) => {
  const answers = await run(
    Effect.gen(function* () {
      const { render } = yield* makeRenderWorker(0)
      const job = { content: "a", names: someNames }
      return yield* Effect.all([Effect.result(render("one", job)), Effect.result(render("two", job))], {
        concurrency: 2,
      })
    }),
  )
  for (const answer of answers) {
    const failure = Result.isFailure(answer) ? answer.failure : undefined
    t.match(failure, { code: "BAD_REQUEST", status: 400 })
  }
})

t.test("jobs wait in a bounded line, in turns by sender", inTurn(2, "waiting jobs"), async (t) => {
  const order: Array<string> = []
  const outcomes = await run(
    Effect.gen(function* () {
      const { render } = yield* makeRenderWorker()
      const job = { content: "a", names: someNames }
      const begin = (owner: string) =>
        Effect.result(Effect.tap(render(owner, job), () => Effect.sync(() => order.push(owner))))
      return yield* Effect.all([...Array.from({ length: 205 }, () => begin("many")), begin("few")], {
        concurrency: "unbounded",
      })
    }),
  )
  t.ok(order.indexOf("few") <= 2, order.join(" "))
  const failures = outcomes.filter(Result.isFailure).map(({ failure }) => failure)
  t.equal(failures.length, 4, "one is done, two hundred wait")
  t.match(failures[0], { code: "RATE_LIMIT_HIT" })
  t.strictSame(new Set(refused), new Set(["messages to render of a user"]))
})
