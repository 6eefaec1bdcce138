/** Reads of a page, whatever it is: bounded texts and an address, and never for long. */
import * as Effect from "effect/Effect"
import t from "tap"
import { readPage } from "../../../../src/chat/changing/page-previews/page-info.ts"

const base = "https://p.example/dir/page"
const read = (html: string | Uint8Array, type = "text/html") =>
  Effect.runPromise(readPage(Buffer.from(html), type, base))

t.test("Open Graph, else title and description", async (t) => {
  t.strictSame(
    await read(
      `<!doctype html><html><head><title>Plain</title><meta name="description" content="plain">
       <meta property="og:title" content="A &amp; &lt;b&gt; &quot;c&quot;"><META PROPERTY="og:description" CONTENT=" two
       lines ">
       <meta property="og:image" content="../i.png?a=1&amp;b=2"><meta property="og:title" content="second"></head>
       <body><meta property="og:image" content="https://evil.example/"></body></html>`,
    ),
    { title: 'A & <b> "c"', description: "two lines", image: "https://p.example/i.png?a=1&b=2" },
  )
  t.strictSame(await read("<title>One</title><title>Two</title><p>x"), { title: "One", description: "", image: "" })
  t.strictSame(await read('<meta name="twitter:title" content="T"><meta name="description" content="D">'), {
    title: "T",
    description: "D",
    image: "",
  })
  t.match(await read("<title>a &lt;script&gt; b</title>"), { title: "a <script> b" })
  t.match(await read("<script>var a = '<title>no</title>'</script><title>yes</title>"), { title: "yes" })
  t.match(await read("<p>text</p><title>late</title>"), { title: "" }, "what follows the head is not looked at")
  t.match(await read('<meta http-equiv="refresh" content="0;url=http://10.0.0.1/">'), { title: "", image: "" })
  for (const image of ["javascript:alert(1)", "data:image/png,x", "http://u:p@x.example/", "file:///x", "http://[", ""])
    t.match(await read(`<meta property="og:image" content="${image}">`), { image: "" }, image)
})

t.test("addresses start from what the page says that they start from", async (t) => {
  const image = "i.png?a=1"
  const rows: ReadonlyArray<readonly [href: string, image: string]> = [
    ["https://cdn.example/a/", "https://cdn.example/a/i.png?a=1"],
    ["https://cdn.example/a", "https://cdn.example/i.png?a=1"],
    [" //cdn.example/a/\n", "https://cdn.example/a/i.png?a=1"],
    ["/", "https://p.example/i.png?a=1"],
    ["sub/", "https://p.example/dir/sub/i.png?a=1"],
    ["../", "https://p.example/i.png?a=1"],
    ["https://例え.example/ü/", "https://xn--r8jz45g.example/%C3%BC/i.png?a=1"],
    // What can be none leaves the page's own.
    ["", "https://p.example/dir/i.png?a=1"],
    ["http://[", "https://p.example/dir/i.png?a=1"],
    ["https://", "https://p.example/dir/i.png?a=1"],
    ["data:text/html,x", "https://p.example/dir/i.png?a=1"],
    ["JavaScript:alert(1)", "https://p.example/dir/i.png?a=1"],
    [`https://cdn.example/${"a/".repeat(5000)}`, "https://p.example/dir/i.png?a=1"],
    // Pictures are fetched from the web only, and as nobody.
    ["file:///etc/", ""],
    ["ftp://cdn.example/", ""],
    ["mailto:a@b.example", ""],
    ["https://u:p@cdn.example/", ""],
  ]
  for (const [href, expected] of rows) {
    const element = `<base target=_top><base href="${href}"><base href="https://second.example/">`
    const meta = `<meta property="og:image" content="${image}">`
    t.match(await read(`${element}${meta}`), { image: expected }, href)
    t.match(await read(`${meta}${element}`), { image: expected }, `${href} behind the picture`)
  }
  const far = '<base href="https://cdn.example/"><meta property="og:image" content="https://q.example/i">'
  t.match(await read(far), { image: "https://q.example/i" })
  t.match(await read('<meta property="og:image" content="i"><p><base href="https://cdn.example/">'), {
    image: "https://p.example/dir/i",
  })
})

t.test("encodings", async (t) => {
  const title = (bytes: Uint8Array | string, type?: string) => read(bytes, type).then((info) => info.title)
  const latin = Buffer.from("<meta charset='iso-8859-1'><title>caf\xe9</title>", "latin1")
  t.equal(await title(latin), "café")
  t.equal(await title(Buffer.from("<title>caf\xe9</title>", "latin1"), 'text/html; charset="windows-1252"'), "café")
  t.equal(await title(`<title>${"é".repeat(100)}</title>`), "é".repeat(100))
  t.equal(await title("<title>x</title>", "text/html; charset=nonsense"), "x")
  t.equal(await title(Buffer.from([0x3c, 0xff, 0xfe, 0x00])), "")
  t.equal(await title("<title>a\u0000b\u202ec</title>"), "abc")
})

t.test("pages that are made to be long", async (t) => {
  const most = 512 * 1024
  const { title } = await read(`<title>${"a ".repeat(most / 2)}`)
  t.ok(title.length <= 200 && title.endsWith("…"))
  const { description } = await read(`<meta name=description content="${"b".repeat(most)}">`)
  t.equal([...description].length, 500)
  const tags = [
    "<a>",
    "<html>",
    "<noscript>",
    "<template>",
    "<title>",
    "<meta a=b>",
    "<!--",
    "<!--a-->",
    "<",
    "&",
    "&amp;",
  ]
  for (const piece of [...tags, "<meta property=og:title ", "<head a", "</head", "<svg>", "<![CDATA["])
    t.type(await read(piece.repeat(most / piece.length)), "object", piece)
  for (const piece of ["<meta charset=x>", "<meta http-equiv=content-type content=charset=x>", "<base href=x>"])
    t.type(await read(piece.repeat(most / piece.length)), "object", piece)
  const attributes = Array.from({ length: 40_000 }, (_, n) => `a${n}=b`).join(" ")
  t.match(await read(`<meta ${attributes} property=og:title content=last>`), { title: "last" })
})
