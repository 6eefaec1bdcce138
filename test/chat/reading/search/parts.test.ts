/** Parts of tokens, and words of scripts that write no spaces: what the narrow `search` finds of them, and marks. */
import t from "tap"
import { pluck } from "../../../kit/records.ts"
import { inTurn, some } from "../../../kit/share.ts"
import { withServer } from "../../../kit/with-server.ts"

interface Case {
  readonly content: string
  readonly topic?: string
  /** Searches that find the message, and what they mark, in [ ]; null: in its topic only. */
  readonly found: Readonly<Record<string, string | null>>
  readonly not?: ReadonlyArray<string>
}

const tokens: Readonly<Record<string, Case>> = {
  link: {
    content: "look at https://docs.fox.example/guide/install-steps.html?page=intro#top today",
    found: {
      guide: "/[guide]/",
      install: "/[install]-steps",
      steps: "install-[steps].html",
      html: "steps.[html]",
      intro: "page=[intro]",
      top: "#[top]",
      docs: "//[docs].fox",
      "fox.example": "docs.[fox.example]/guide",
      "docs.fox.example/guide": "//[docs.fox.example/guide]/install",
      "https://docs.fox.example/guide/install-steps.html?page=intro#top":
        ">[https://docs.fox.example/guide/install-steps.html?page]=[intro]#[top]<",
    },
    not: ["stall", "example.fox", "fox.guide", "guides.fox"],
  },
  address: {
    content: "write to ann-lee.smith@mail.zebra.example please",
    found: {
      ann: "[ann]-lee",
      smith: ".[smith]@mail",
      "mail.zebra": "@[mail.zebra].example",
      zebra: ".[zebra].",
      "ann-lee.smith@mail.zebra.example": "[ann-lee.smith@mail.zebra.example]",
      "@mail": "smith[@mail].zebra",
    },
    not: ["smithmail", "smith@zebra", "mail.ann"],
  },
  file: {
    content: "the draft is in Budget_2025-final.v2.xlsx",
    found: {
      budget: "[Budget]_2025",
      2025: "_[2025]-final",
      final: "-[final].v2",
      v2: ".[v2].",
      xlsx: ".[xlsx]",
      finals: "-[final].v2",
      "2025-final": "_[2025-final].v2",
      "final.v2": "-[final.v2].xlsx",
    },
    not: ["2026", "v2.final", "budge"],
  },
  identifier: {
    content: "it fails in `sess.crate_types()` of std::collections::HashMap and `self.fooBar`",
    found: {
      sess: "[sess].crate_types()",
      crate: ".[crate]_types",
      types: "crate_[types]()",
      "sess.crate_types()": "[sess.crate_types]()",
      crate_types: "sess.[crate_types]()",
      collections: "::[collections]::",
      "std::collections": "[std::collections]::HashMap",
      map: "::Hash[Map]",
      hash: "::[Hash]Map",
      hashmap: "::[HashMap]",
      foo: ".[foo]Bar",
      fooBar: ".[fooBar]",
      "self.foobar": "[self.fooBar]",
    },
    not: ["types_crate", "hashma", "crat", "oobar"],
  },
  camel: {
    content: "parseHTTPRequest2Json, XMLHttpRequest, utf8Decoder, iPhone and GitHub",
    found: {
      parse: "[parse]HTTP",
      http: "parse[HTTP]Request2Json, XML[Http]Request",
      request2: "HTTP[Request2]Json",
      json: "Request2[Json]",
      xml: "[XML]Http",
      utf8: "[utf8]Decoder",
      decoders: "utf8[Decoder]",
      phone: "i[Phone]",
      hub: "Git[Hub]",
      parsehttprequest2json: "[parseHTTPRequest2Json]",
    },
    not: ["arse", "coder", "ithub"],
  },
  path: {
    content: "edit /etc/nginx/sites-enabled/default.conf and C:\\Users\\ann\\notes.txt",
    found: {
      nginx: "/[nginx]/",
      "/etc": "[/etc]/nginx",
      "/etc/nginx": "[/etc/nginx]/sites",
      "sites-enabled": "/[sites-enabled]/",
      conf: ".[conf]",
      notes: "\\[notes].txt",
    },
    not: ["etcnginx", "/etc/sites"],
  },
  letters: {
    content: "ÜberGroß, ÉcoleRose, ДомКнига, größe_änderung and straße/müller@köln",
    found: {
      groß: "Über[Groß]",
      école: "[École]Rose",
      книга: "Дом[Книга]",
      änderung: "größe_[änderung]",
      müller: "straße/[müller]@",
      "straße/müller": "[straße/müller]@köln",
    },
    not: ["книг-дом", "roß"],
  },
  marks: {
    content: "हिन्दी_भाषा.txt e.g. v1.22.3 at 10:45",
    found: {
      भाषा: "_[भाषा].txt",
      हिन्दी: "[हिन्दी]_",
      "e.g.": "[e.g]. v1",
      "22.3": "v1.[22.3]",
      "10:45": "at [10:45]",
      45: "10:[45]",
    },
    not: ["45:10", "22.1"],
  },
  ignored: {
    content: "see http://who.is/x and_or on/off",
    found: { "who.is": "http://[who.is]/x", "on/off": "[on/off]", "who.is/x": "http://[who.is/x]" },
    not: ["is.who", "off/on"],
  },
  topic: {
    topic: "api.users_list?",
    content: "nothing",
    found: { users: null, "api.users": null, list: null },
    not: ["users.api"],
  },
  html: {
    content: "a **b_c** & <d.e> f@g.example&h `i<j.k>`",
    found: { c: "<strong>b_[c]</strong>", e: "&lt;d.[e]&gt;", k: "&lt;j.[k]&gt;", "d.e": "&lt;[d.e]&gt;" },
    not: ["lt", "strong", "amp"],
  },
}

const unspaced: Readonly<Record<string, Case>> = {
  Chinese: {
    content: "我们明天去**东京都**看樱花。",
    found: {
      明天: "我们[明天]去",
      东京: "[东京]都",
      东京都: "[东京都]",
      去东京: "[去]<strong>[东京]都",
      看樱花: "[看樱花]。",
      花: "樱[花]。",
      "明天 樱花": "[明天]去",
    },
    not: ["天明", "京東", "东京看", "猫", "明天去京都"],
  },
  Japanese: {
    content: "これは新しいサーバーの説明です（ﾃｽﾄ）。時々更新",
    found: {
      サーバー: "[サーバー]の",
      新しい: "は[新しい]",
      です: "[です]（",
      ﾃｽﾄ: "（[ﾃｽﾄ]）",
      時々: "[時々]更新",
      バー: "サー[バー]",
    },
    not: ["サバー", "説明書", "時更"],
  },
  mixed: {
    content: "请看Parley的API文档v2版（https://a.example/文档/第3章.html）",
    found: {
      parley: "看[Parley]的",
      api: "的[API]",
      文档: "API[文档]v2",
      API文档: "的[API][文档]v2",
      v2: "[v2]版",
      第3章: "[第][3][章].html",
      章: "[章]",
    },
    not: ["API版本", "arley"],
  },
  Thai: { content: "วันนี้อากาศดีมาก", found: { อากาศ: "[อากาศ]", ดีมาก: "[ดีมาก]", วัน: "[วัน]นี้" }, not: ["มากดี"] },
  Lao: { content: "ຂ້ອຍຮັກພາສາລາວ", found: { ພາສາ: "[ພາສາ]", ລາວ: "[ລາວ]" }, not: ["ລາວພາ"] },
  Khmer: { content: "ខ្ញុំស្រលាញ់ភាសាខ្មែរ។", found: { ភាសា: "[ភាសា]", ខ្មែរ: "[ខ្មែរ]" }, not: ["ភាខា"] },
  Myanmar: { content: "မြန်မာဘာသာစကား။", found: { ဘာသာ: "[ဘာသာ]", စကား: "[စကား]" }, not: ["ကားစ"] },
  rare: { content: "𠮷野家で𠮷川さん", found: { 𠮷野: "[𠮷野]家", 𠮷: "[𠮷]野家", 野家: "𠮷[野家]" }, not: ["𠮷家"] },
  topics: { topic: "東京支社の予定", content: "無し", found: { 東京: null, 支社の: null, 定: null }, not: ["京東"] },
  Korean: { content: "서울에서 만나요", found: { 서울에서: "[서울에서]" }, not: ["울에"] },
}

/** Texts that have the words of others, but apart. */
const decoys = [
  "an example of fox and guide",
  "东 京 都 看 天",
  "types of a crate, a sess",
  "东京和京都",
  "the mail of zebra and smith, final budget v2",
]

t.test("parts of tokens and words of scripts without spaces", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const hamlet = server.as("hamlet")
    const cases: Array<Case & { readonly id: number; readonly what: string }> = []
    for (const [what, each] of Object.entries({ ...tokens, ...unspaced })) {
      const { topic = "t", content } = each
      const sent = await hamlet.must.post("/messages", { type: "channel", to: "lobby", topic, content })
      cases.push({ ...each, what, id: Number(sent["id"]) })
    }
    for (const content of decoys)
      await hamlet.must.post("/messages", { type: "channel", to: "lobby", topic: "t", content })
    const find = async (narrow: unknown) => {
      const page = { anchor: "newest", num_before: 100, num_after: 0, narrow }
      return (await hamlet.must.get("/messages", page))["messages"]
    }
    const bare = (html: unknown) => String(html).replaceAll(/<span class="highlight">([^<]*)<\/span>/g, "[$1]")
    const plain = new Map(pluck(await find([]), "id").map((id, n) => [id, n] as const))
    t.equal(plain.size, cases.length + decoys.length)
    const check = async (how: string) => {
      for (const { what, id, found, not = [] } of cases) {
        for (const [search, marked] of some(Object.entries(found), 4, `${how}: ${what}`)) {
          const messages = await find([["search", search]])
          const at = pluck(messages, "id").indexOf(id)
          t.ok(at >= 0, `${how}: ${what} is found by ${search}`)
          if (marked === null || at < 0) continue
          const html = bare(pluck(messages, "match_content")[at])
          t.ok(html.includes(marked), `${how}: ${search} marks ${marked} in ${html}`)
        }
        for (const search of some(not, 2, `${how}, not: ${what}`)) {
          t.notOk(
            pluck(await find([["search", search]]), "id").includes(id),
            `${how}: ${what} is not found by ${search}`,
          )
          const without = pluck(await find([{ operator: "search", operand: search, negated: true }]), "id")
          t.ok(without.includes(id), `${how}: ${what} is found without ${search}`)
        }
      }
      const only = async (search: string, what: string) =>
        t.same(
          pluck(await find([["search", search]]), "id"),
          cases.filter((each) => each.what === what).map(({ id }) => id),
          `${how}: ${search} finds nothing else`,
        )
      await only("fox.example", "link")
      await only("sess.crate_types", "identifier")
      await only("mail.zebra", "address")
      await only("东京都", "Chinese")
      await only('"fox.exam"', "link")
      await only('"京都**看"', "Chinese")
    }
    await check("with the index")
    await server.rows("delete from message_search")
    await server.rows("delete from search_word")
    await server.rows("delete from search_chunk")
    await server.rows("update search_progress set through = 0")
    await check("without it")
    t.same(await server.rows("select from message_search"), [], "nothing was indexed meanwhile")
    const topics = await find([["search", "支社"]])
    t.match(topics, [{ match_subject: '東京<span class="highlight">支社</span>の予定' }])
    t.match(await find([["search", "list"]]), [{ match_subject: 'api.users_<span class="highlight">list</span>?' }])
  }),
)

/** Ten thousand characters each, of which as many different words as can be are made. */
const hostile: Readonly<Record<string, string>> = {
  separators: "./_-@:?+".repeat(1250),
  "parts of one letter": Array.from({ length: 5000 }, (_, n) => `${String.fromCharCode(97 + (n % 26))}.`).join(""),
  "parts of three": Array.from({ length: 2500 }, (_, n) => `${(n * 37).toString(36).padStart(3, "q").slice(-3)}_`).join(
    "",
  ),
  camelCase: "aB".repeat(5000),
  "camelCase of three": Array.from(
    { length: 3333 },
    (_, n) => `Q${(n * 7).toString(26).slice(-2).padStart(2, "z")}`,
  ).join(""),
  digits: `a${"1".repeat(9000)}A`,
  capitals: "A".repeat(10_000),
  Han: Array.from({ length: 10_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join(""),
  "Han and letters": Array.from({ length: 5000 }, (_, n) => `${String.fromCodePoint(0x4e00 + n)}a`).join(""),
  "Han by tags": Array.from({ length: 1400 }, (_, n) => `**${String.fromCodePoint(0x4e00 + n)}**猫`).join(""),
}

t.test(
  "the words of a message take no more room than those of other texts",
  inTurn(2, "the words of a message take no more room than those of other texts"),
  (t) =>
    withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
      const hamlet = server.as("hamlet")
      const sizes = new Map<number, string>()
      for (const [what, content] of Object.entries({
        ...hostile,
        "other text": Array.from({ length: 2500 }, (_, n) => (n * 37).toString(36).padStart(3, "q").slice(-3)).join(
          " ",
        ),
      })) {
        const sent = await hamlet.must.post("/messages", { type: "channel", to: "lobby", topic: "t", content })
        sizes.set(Number(sent["id"]), what)
      }
      const page = { anchor: "newest", num_before: 100, num_after: 0 }
      const find = async (search: string) =>
        pluck((await hamlet.must.get("/messages", { ...page, narrow: [["search", search]] }))["messages"], "id").map(
          (id) => sizes.get(Number(id)),
        )
      const check = async (how: string) => {
        // Of Han there are more pieces than are kept: the text itself tells.
        const of = (content = "") => [...content].slice(7000, 7004).join("")
        t.same(await find(of(hostile["Han"])), ["Han"], how)
        t.same(await find(of(hostile["Han"]).slice(0, 2)), ["Han"], how)
        t.same(await find([...of(hostile["Han"])].reverse().join("")), [], how)
        t.same(await find("猫丁猫"), ["Han by tags"], how)
      }
      for (let left = 1; left > 0; )
        left = Number((await server.rows("select index_messages_v3(1, 16, 6400) as n"))[0]?.["n"])
      await check("with it")
      const rows = await server.rows(`select s.message_id as id, pg_column_size(s.words) as bytes,
        (select count(*) from search_word w where s.message_id = any(w.messages)) as keys from message_search s`)
      t.equal(rows.length, sizes.size)
      for (const { id, bytes, keys } of rows) {
        t.ok(Number(bytes) <= 24_000, `${sizes.get(Number(id))}: ${bytes} bytes`)
        t.ok(Number(keys) <= 1001, `${sizes.get(Number(id))}: ${keys} keys`)
      }
      for (const table of ["message_search", "search_word", "search_chunk"]) await server.rows(`delete from ${table}`)
      await server.rows("update search_progress set through = 0")
      await check("without the index")
      t.same(await server.rows("select from message_search"), [], "nothing was indexed meanwhile")
    }),
)
