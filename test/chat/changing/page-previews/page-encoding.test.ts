/** In which encoding a page is read: by its mark, the answer's word, its own, or what its bytes look like. */
import * as Effect from "effect/Effect"
import t from "tap"
import { readPage } from "../../../../src/chat/changing/page-previews/page-info.ts"

type Part = string | ReadonlyArray<number>

const titleOf = (type: string, ...parts: ReadonlyArray<Part>) => {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))))
  return Effect.runPromise(readPage(bytes, type, "https://p.example/")).then(({ title }) => title)
}
const html = "text/html"
const title = (bytes: ReadonlyArray<number>): ReadonlyArray<Part> => ["<title>", bytes, "</title>"]

/** A title, and its bytes in an encoding. */
const russian = ["Мир", [0xed, 0xc9, 0xd2]] as const
const latin = ["“é” €", [0x93, 0xe9, 0x94, 0x20, 0x80]] as const
const plain = ["Ünï", [0xc3, 0x9c, 0x6e, 0xc3, 0xaf]] as const

t.test("names of encodings, in the answer and in the page", async (t) => {
  const rows: ReadonlyArray<readonly [label: string, shown: string, bytes: ReadonlyArray<number>]> = [
    ["utf-8", ...plain],
    ["UTF8", ...plain],
    ["unicode-1-1-utf-8", ...plain],
    ["windows-1252", ...latin],
    ["iso-8859-1", ...latin],
    ["Latin1", ...latin],
    ["us-ascii", ...latin],
    ["x-user-defined", ...latin],
    ["KOI8-R", ...russian],
    ["koi", ...russian],
    ["windows-1251", "Мир", [0xcc, 0xe8, 0xf0]],
    ["x-cp1251", "Мир", [0xcc, 0xe8, 0xf0]],
    ["x-mac-cyrillic", "Мир", [0x8c, 0xe8, 0xf0]],
    ["iso-8859-2", "Łódź", [0xa3, 0xf3, 0x64, 0xbc]],
    ["latin2", "Łódź", [0xa3, 0xf3, 0x64, 0xbc]],
    ["iso-8859-15", "5 €", [0x35, 0x20, 0xa4]],
    ["windows-1253", "Νέα", [0xcd, 0xdd, 0xe1]],
    ["windows-1255", "שלום", [0xf9, 0xec, 0xe5, 0xed]],
    ["iso-8859-8-i", "שלום", [0xf9, 0xec, 0xe5, 0xed]],
    ["windows-1256", "سلام", [0xd3, 0xe1, 0xc7, 0xe3]],
    ["tis-620", "ไทย", [0xe4, 0xb7, 0xc2]],
    ["shift_jis", "日本", [0x93, 0xfa, 0x96, 0x7b]],
    ["x-sjis", "日本", [0x93, 0xfa, 0x96, 0x7b]],
    ["euc-jp", "日本", [0xc6, 0xfc, 0xcb, 0xdc]],
    ["iso-2022-jp", "日本", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]],
    ["euc-kr", "한국", [0xc7, 0xd1, 0xb1, 0xb9]],
    ["ks_c_5601-1987", "한국", [0xc7, 0xd1, 0xb1, 0xb9]],
    ["gb2312", "中文", [0xd6, 0xd0, 0xce, 0xc4]],
    // In gbk as browsers have it, which is gb18030.
    ["gbk", "中︐︒", [0xd6, 0xd0, 0x84, 0x31, 0x82, 0x36, 0xa6, 0xda]],
    ["gb18030", "😀", [0x94, 0x39, 0xfc, 0x36]],
    ["big5", "中文", [0xa4, 0xa4, 0xa4, 0xe5]],
  ]
  for (const [label, shown, bytes] of rows) {
    t.equal(await titleOf(`${html}; charset=${label}`, ...title(bytes)), shown, label)
    t.equal(await titleOf(`${html};charset="${label}" ; x=y`, ...title(bytes)), shown, label)
    t.equal(await titleOf(html, `<meta charset="${label}">`, ...title(bytes)), shown, label)
    t.equal(await titleOf(html, `<META CHARSET=' ${label} '/>`, ...title(bytes)), shown, label)
    t.equal(await titleOf(html, ...title(bytes), `<meta charset=${label}>`), shown, `${label} behind the title`)
    const pragma = `<meta http-equiv="Content-Type" content="text/html; charset=${label}">`
    t.equal(await titleOf(html, pragma, ...title(bytes)), shown, label)
    t.equal(await titleOf(html, `<!--${"x".repeat(5000)}-->`, pragma, ...title(bytes)), shown, `${label} further down`)
    t.equal(await titleOf(html, `<style>${"x".repeat(40_000)}</style>`, ...title(bytes), pragma), shown, label)
    t.equal(await titleOf(html, `<?xml version="1.0" encoding='${label}'?>`, ...title(bytes)), shown, label)
    t.equal(await titleOf("Application/XHTML+XML", `<?xml version="1.0" encoding="${label}"?>`, ...title(bytes)), shown)
  }
})

t.test("names that nobody knows are passed over", async (t) => {
  for (const label of [
    "nonsense",
    "",
    "utf-9",
    "utf-7",
    "utf_8_bom",
    "none",
    "auto",
    "x".repeat(5000),
    "%",
    "日本",
    "null",
  ]) {
    const type = `${html}; charset=${label}`
    t.equal(await titleOf(type, ...title(plain[1])), plain[0], label)
    t.equal(await titleOf(type, ...title(latin[1])), latin[0], label)
    t.equal(await titleOf(type, "<meta charset=koi8-r>", ...title(russian[1])), russian[0], label)
    t.equal(
      await titleOf(html, `<meta charset="${label}"><meta charset=koi8-r>`, ...title(russian[1])),
      russian[0],
      label,
    )
    t.equal(await titleOf(html, `<?xml encoding="${label}"?>`, ...title(latin[1])), latin[0], label)
  }
  for (const label of ["iso-2022-kr", "hz-gb-2312", "replacement"])
    t.equal(await titleOf(`${html}; charset=${label}`, "<title>x</title>"), "", `${label} is shown by no browser`)
})

t.test("which word counts", async (t) => {
  const koi8 = "<meta charset=koi8-r>"
  const [shown, bytes] = russian
  const wide = (text: string, isBig: boolean): ReadonlyArray<number> => {
    const units = Buffer.from(text, "utf16le")
    return [...(isBig ? units.swap16() : units)]
  }
  // The mark before the answer, the answer before the page.
  t.equal(await titleOf(`${html}; charset=koi8-r`, [0xef, 0xbb, 0xbf], koi8, ...title(plain[1])), plain[0])
  for (const isBig of [false, true]) {
    const page = wide("\ufeff<meta charset=utf-8><title>日本 Ü</title>", isBig)
    for (const type of [html, `${html}; charset=utf-8`, `${html}; charset=koi8-r`])
      t.equal(await titleOf(type, page), "日本 Ü", `${type}, big end first: ${isBig}`)
    const unmarked = page.slice(2)
    t.equal(await titleOf(`${html}; charset=utf-16${isBig ? "be" : "le"}`, unmarked), "日本 Ü")
    t.equal(
      await titleOf(html, wide(`<?xml version="1.0"?><title>Ü</title>`, isBig)),
      "Ü",
      "a declaration of two bytes",
    )
  }
  t.equal(await titleOf(`${html}; charset=koi8-r`, "<meta charset=utf-8>", ...title(bytes)), shown)
  t.equal(await titleOf(`${html}; charset=utf-8`, koi8, ...title(plain[1])), plain[0])
  // In the page: the first, a meta before the declaration, but not in XML.
  t.equal(await titleOf(html, koi8, "<meta charset=utf-8>", ...title(bytes)), shown)
  t.equal(await titleOf(html, '<?xml encoding="utf-8"?>', koi8, ...title(bytes)), shown)
  t.equal(
    await titleOf("application/xhtml+xml", '<?xml encoding="koi8-r"?><meta charset=utf-8>', ...title(bytes)),
    shown,
  )
  t.equal(await titleOf(html, "<!-- <meta charset=utf-8> -->", koi8, ...title(bytes)), shown)
  t.equal(await titleOf(html, ...title(bytes), "<body>", koi8), shown, "outside of the head, but near")
  const far = `<!--${"x".repeat(2000)}-->`
  t.equal(await titleOf(html, far, ...title(plain[1]), "<body>", koi8), plain[0], "outside of the head, and far")
  t.equal(await titleOf(html, koi8, far, ...title(bytes), "<meta charset=utf-8>"), shown, "the first word stays")
  // What is written in letters of one byte is in no encoding of two.
  for (const label of ["utf-16", "utf-16le", "utf-16be", "unicode"])
    t.equal(await titleOf(html, `<meta charset=${label}>`, ...title(plain[1])), plain[0], label)
  // No words of an encoding.
  for (const other of [
    '<meta http-equiv="refresh" content="0; charset=koi8-r">',
    '<meta name="description" content="charset=koi8-r">',
    '<meta http-equiv="content-type" content="text/html; charset">',
    '<meta http-equiv="content-type" content="koi8-r">',
    '<link charset="koi8-r">',
    '<meta content="<meta charset=koi8-r>">',
  ])
    t.equal(await titleOf(html, other, ...title(latin[1])), latin[0], other)
})

t.test("pages that say nothing", async (t) => {
  const rows: ReadonlyArray<readonly [shown: string, bytes: ReadonlyArray<number>]> = [
    latin,
    plain,
    ["Café", [0x43, 0x61, 0x66, 0xe9]],
    ["naïve — “x” … Œuvre", [...Buffer.from("na\xefve \x97 \x93x\x94 \x85 \x8cuvre", "latin1")]],
    ["Straße", [...Buffer.from("Stra\xdfe", "latin1")]],
    ["日本語", [...Buffer.from("日本語")]],
    ["😀", [...Buffer.from("😀")]],
    ["Übersicht, ab�", [...Buffer.from("Übersicht, ab"), 0xc3]],
  ]
  for (const [shown, bytes] of rows) {
    t.equal(await titleOf(html, ...title(bytes)), shown)
    for (const before of [1015, 1016, 1017, 16 * 1024 - 12, 16 * 1024 - 11, 16 * 1024 - 10, 40_000])
      t.equal(await titleOf(html, `<!--${"x".repeat(before)}-->`, ...title(bytes)), shown, `${shown} after ${before}`)
  }
  t.equal(await titleOf(html, ...title(plain[1]), "<p>", [0xe9]), plain[0], "one wrong byte makes no other encoding")
  t.equal(await titleOf(html, ...title(latin[1]), "<p>é"), latin[0])
})
