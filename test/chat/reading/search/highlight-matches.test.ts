/** Highlights: what a search found is marked in text, and nowhere else. */
import t from "tap"
import { highlightMatches, wordsIn } from "../../../../src/chat/reading/search/highlight-matches.ts"
import { renderAtOnce } from "../../../../src/chat/text/markdown/rendering/render.ts"
import { renderMath } from "../../../../src/chat/text/markdown/thread/render-math.ts"
import { someNames } from "../../text/markdown/some-names.ts"

/** The HTML with [ and ] for the marks. */
const mark = (
  html: string,
  words: ReadonlyArray<string>,
  phrases: ReadonlyArray<string> = [],
  joined: ReadonlyArray<string> = [],
) =>
  highlightMatches(html, { words: new Set(words), phrases, joined })
    .replaceAll('<span class="highlight">', "[")
    .replace(/\[([^\]]*?)<\/span>/g, "[$1]")

t.test("words and phrases", async (t) => {
  const cases: ReadonlyArray<
    readonly [html: string, words: ReadonlyArray<string>, phrases: ReadonlyArray<string>, marked: string]
  > = [
    ["<p>one two</p>", ["two"], [], "<p>one [two]</p>"],
    ["<p>One ones</p>", ["one"], [], "<p>[One] ones</p>"],
    ['<a href="two" title="two">two</a>', ["two", "a", "href"], [], '<a href="two" title="two">[two]</a>'],
    ["a &amp; amp &lt;b&gt;", ["amp", "b", "lt"], [], "a &amp; [amp] &lt;[b]&gt;"],
    ["<p>a &amp; b</p>", [], ["a & b"], "<p>[a ][&amp;][ b]</p>"],
    ["well-known x@y.z", ["known", "y"], [], "well-[known] x@[y].z"],
    ["don't o'clock's O'Neil", ["don't", "clock", "o'neil"], [], "[don't] o'[clock]'s [O'Neil]"],
    [
      "fooBar, parseHTTPBody FOOBar utf8Text",
      ["bar", "http", "foobar", "utf8"],
      [],
      "[fooBar], parse[HTTP]Body [FOOBar] [utf8]Text",
    ],
    ["看Parley的API", ["parley", "api", "的"], ["的a"], "看[Parley][的API]"],
    ["b<strong>old</strong>", ["bold"], [], "b<strong>old</strong>"],
    ["<b>one</b> two", [], ["one two"], "<b>[one]</b>[ two]"],
    ["aaa", [], ["aa"], "[aa]a"],
    ["one two three", ["two"], ["one two"], "[one two] three"],
    ["Größe İstanbul", ["größe"], ["istanbul"], "[Größe] [İstanbul]"],
    ["1 < 2 &unknown; two", ["two"], ["< 2"], "1 [<][ 2] &unknown; [two]"],
    ["<td>x</td>\n<td>y z</td>", [], ["x\ny"], "<td>[x]</td>\n<td>[y] z</td>"],
  ]
  for (const [html, words, phrases, marked] of cases) t.equal(mark(html, words, phrases), marked, html)
  t.same(
    [...wordsIn(`<p title="no">One well-known &amp; <em>don't</em> fooBar /etc/x的</p>`)],
    ["one", "well", "known", "don't", "don", "t", "foobar", "foo", "bar", "etc", "x"],
  )
})

t.test("what was typed joined is marked where it begins and ends with a word", async (t) => {
  const cases: ReadonlyArray<readonly [html: string, joined: ReadonlyArray<string>, marked: string]> = [
    ["see /etc/passwd, -5 and a-5", ["/etc/passwd", "-5"], "see [/etc/passwd], [-5] and a[-5]"],
    ["a/b /b, b/bc", ["/b"], "a[/b] [/b], b/bc"],
    [
      "process.env.PATH, subprocess.env and process.environ",
      ["process.env"],
      "[process.env].PATH, subprocess.env and process.environ",
    ],
    ["<p>x@y.z</p>\n<b>x</b>@y.z", ["x@y.z"], "<p>[x@y.z]</p>\n<b>[x]</b>[@y.z]"],
    ["a=1?b&amp;c", ["1?b"], "a=[1?b]&amp;c"],
    ["東京都、東京", ["東京"], "[東京]都、[東京]"],
    ["API文档", ["文档"], "API[文档]"],
    ["東<strong>京</strong>都", ["東京都"], "[東]<strong>[京]</strong>[都]"],
  ]
  for (const [html, joined, marked] of cases) t.equal(mark(html, [], [], joined), marked, html)
})

t.test("a formula is one piece, of which nothing is marked", async (t) => {
  const html = (inside: string, around: string) => `<p>${around} <em>${inside}</em> and ${around}</p>`
  for (const isDisplay of [true, false]) {
    const formula = renderMath("\\text{velocity} + \\sqrt{\\frac{v}{2}}", isDisplay) ?? ""
    t.match(formula, /<span class="katex">.*velocity.*velocity/)
    t.equal(mark(html(formula, "velocity"), ["velocity", "v", "2"], ["t"]), html(formula, "[velocity]"))
    t.same([...wordsIn(html(formula, "one"))], ["one", "and"])
  }
})

t.test("without the marks a message is as it was", async (t) => {
  const content =
    'a **b** `c` [d "e"](https://a.example/?b=c&d=e "f>g") $$x<y$$ @**King Hamlet** :smile: <b> &amp; > "q"'
  const { html } = renderAtOnce(content.replace("$$x<y$$", ""), someNames)
  const letters = [...new Set(html.toLowerCase())].filter((each) => each.trim() !== "")
  const marked = highlightMatches(html, { words: new Set(letters), phrases: letters })
  t.not(marked, html)
  t.equal(marked.replace(/<span class="highlight">((?:&[#\w]+;|[^<])*)<\/span>/g, "$1"), html)
})

t.test("of one message only so much is marked, and ranges that overlap are one", async (t) => {
  const text = "abcdefghij".repeat(1000)
  const phrases = Array.from({ length: 60 }, (_, n) => text.slice(n % 10, (n % 10) + 1 + Math.floor(n / 10)))
  t.equal(mark(`<p>${text}</p>`, [], phrases), `<p>[${text}]</p>`)
  const words = "a ".repeat(5000)
  t.equal(mark(`<p>${words}</p>`, ["a"]), `<p>${"[a] ".repeat(1000)}${"a ".repeat(4000)}</p>`)
})

t.test("of a long message the beginning is marked, and the rest stays as it is", async (t) => {
  const tags = '<span class="mi">a</span>'.repeat(5000)
  t.equal(mark(`<p>${tags} two</p>`, ["two"]), `<p>${tags} [two]</p>`, "which is counted by what is shown")
  for (const part of ["<em>a</em> ", "a &amp; ", "a\u{1f419}", "<b>a</b>\u{1f419}"]) {
    const html = part.repeat(500_000 / part.length)
    const marked = highlightMatches(html, { words: new Set(["a"]), phrases: ["\u{1f419}"] })
    t.not(marked, html)
    t.equal(marked.replaceAll(/<span class="highlight">([^<]*)<\/span>/g, "$1"), html)
    t.ok(marked.length < html.length + 100_000)
    t.ok(marked.isWellFormed())
  }
  const phrases = Array.from({ length: 30_000 }, (_, n) => `b${n}`)
  t.equal(mark("a ".repeat(5000), [], [...phrases, "a"]), "a ".repeat(5000), "the first phrases are looked for")
  t.equal(mark("a b", [], [...phrases, "a"]), "[a] b")
  const text = "ab".repeat(20_000)
  t.match(mark(text, [], ["a", "b"]), /^(\[a\]\[b\]){500}(ab)+$/)
})
