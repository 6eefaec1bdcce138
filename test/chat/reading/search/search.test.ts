/** The narrow `search`: words and phrases, found with the index of words and without it, and shown. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { pluck } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { some } from "../../../kit/share.ts"
import { type Name, withServer } from "../../../kit/with-server.ts"

t.test("words and phrases", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia"] },
        { name: "leads", users: ["cordelia"], isPrivate: true },
        { name: "square", users: ["cordelia"], isWebPublic: true },
      ],
    },
    async (server) => {
      const send = async (name: Name, fields: Fields): Promise<number> =>
        Number(
          (await server.as(name).must.post("/messages", { type: "channel", to: "lobby", topic: "t", ...fields }))["id"],
        )
      const foxes = await send("hamlet", { content: "The quick brown **foxes** & hounds are running" })
      const fox = await send("hamlet", { content: "a fox, e.g. at https://fox.example/running?a=1" })
      const topic = await send("hamlet", { content: "nothing", topic: "About <Foxes>" })
      const direct = await send("cordelia", {
        type: "direct",
        to: [server.idOf("hamlet")],
        content: "Brown fox, quick!",
      })
      const hidden = await send("cordelia", { to: "leads", content: "a fox of leads" })
      const square = await send("cordelia", { to: "square", content: "a fox of the square" })
      const odd = await send("hamlet", { content: "the and -> is" })
      const many = await send("hamlet", { content: Array.from({ length: 900 }, (_, n) => `word${n}`).join(" ") })
      const lines = Array.from({ length: 250 }, (_, n) => `const v${n} = c("t", ${n}, [${n}, true])`)
      const formulas = await send("hamlet", { content: `${"$$\\frac{a}{b} + x_i^2$$ ".repeat(24)} zebra one` })
      const code = await send("hamlet", { content: `\`\`\`ts\n${lines.join("\n")}\n// giraffe one\n\`\`\`` })
      const emoji = await send("hamlet", { content: `${":smile: ".repeat(600)} okapi one` })
      const config = await send("hamlet", {
        content:
          "set PARLEY_PORT by process.env in kebab-case at example.com/path/to: an unbelievable story, hello world",
      })
      const term = (operand: string, negated = false) => ({ operator: "search", operand, negated })
      const long = [formulas, code, emoji]
      const all = [foxes, fox, topic, direct, odd, many, ...long, config]
      const phrases = [
        "PARLEY_",
        "process.env",
        "cess.en",
        "kebab-case",
        "bab-ca",
        "example.com/path",
        "com/path/t",
        "believable story",
        "an unbelievable st",
        "HELLO Wor",
        "orld",
      ]
      const cases: ReadonlyArray<readonly [narrow: ReadonlyArray<unknown>, ids: ReadonlyArray<number>]> = [
        [[["search", "fox"]], [foxes, fox, topic, direct]],
        [[["search", "FOXES the"]], [foxes, fox, topic, direct]],
        [[["search", "quick run"]], [foxes]],
        [
          [
            ["search", "quick"],
            ["search", "fox"],
            ["is", "dm"],
          ],
          [direct],
        ],
        [[["search", "fox quick"], term("run", true)], [direct]],
        [[term("fox", true)], [odd, many, ...long, config]],
        [[["search", '"brown fox"']], [direct]],
        [[["search", '"Brown **fox"']], [foxes]],
        [[["search", 'quick "brown"']], [foxes, direct]],
        [
          [["search", "fox"], term('"brown fox"', true)],
          [foxes, fox, topic],
        ],
        [[["search", '"->"']], [odd]],
        [[["search", "the"]], [foxes, odd]],
        [[term("the", true)], all.filter((id) => id !== foxes && id !== odd)],
        [[["search", "fox.example"]], [fox]],
        [[["search", "word899 word1"]], [many]],
        [[["search", '"zebra one"']], [formulas]],
        ...phrases.map((phrase) => [[["search", `"${phrase}"`]], [config]] as const),
        ...phrases.map((phrase) => [[term(`"${phrase}"`, true)], all.filter((id) => id !== config)] as const),
        [[["search", '"set PARLEY" hello "worl"']], [config]],
        [[["search", '"an believable story"']], []],
        [[["search", "unheard"]], []],
        [[["search", "' \\ & | ! <-> :* ()"]], []],
        [
          [
            ["search", "fox"],
            ["topic", "about <foxes>"],
          ],
          [topic],
        ],
        [
          [
            ["search", "fox"],
            ["sender", "hamlet@test.example"],
          ],
          [foxes, fox, topic],
        ],
        [
          [
            ["search", "fox"],
            ["channel", "square"],
          ],
          [square],
        ],
        [
          [
            ["search", "fox"],
            ["channels", "public"],
          ],
          [foxes, fox, topic, square],
        ],
        [[["search", "fox"], { operator: "channel", operand: "lobby", negated: true }], [direct]],
      ]
      /** Words behind 40,000 characters of HTML are found by the index only. */
      const atTheEnd: typeof cases = [
        [[["search", "zebra"]], [formulas]],
        [[["search", "giraffe"]], [code]],
        [[["search", "okapi one"]], [emoji]],
        [[["search", '"giraffe one"']], [code]],
      ]
      const read = async (narrow: unknown, fields: Fields = {}) => {
        const page = { anchor: "newest", num_before: 100, num_after: 0, ...fields }
        return (await server.as("hamlet").must.get("/messages", { ...page, narrow }))["messages"]
      }
      const byIds = { anchor: undefined, num_before: undefined, num_after: undefined, message_ids: [...all, hidden] }
      const check = async (how: string, wanted: typeof cases = [...cases, ...atTheEnd]) => {
        for (const [narrow, expected] of some(wanted, 2, `searches ${how}`)) {
          const what = `${how}: ${JSON.stringify(narrow)}`
          t.same(pluck(await read(narrow), "id"), expected, what)
          t.same(
            pluck(await read(narrow, { anchor: "oldest", num_before: 0, num_after: 100 }), "id"),
            expected,
            `${what}, from the oldest`,
          )
          if (!expected.includes(square)) t.same(pluck(await read(narrow, byIds), "id"), expected, `${what}, by ids`)
        }
      }
      await check("with the index")
      t.match(
        await server.rows("select count(*)::integer as count from message_search"),
        [{ count: 12 }],
        "which has all messages",
      )
      await server.rows("delete from message_search")
      await server.rows("delete from search_word")
      await server.rows("delete from search_chunk")
      await server.rows("update search_progress set through = 0")
      await check("without it", cases)
      await server.restart()
      await check("made again after a start")

      const shown = async (fields: Fields = {}) => {
        const found = await read([["search", 'fox "hounds are"']], fields)
        return pluck(found, "match_content")
      }
      const marked =
        '<p>The quick brown <strong><span class="highlight">foxes</span></strong> &amp; <span class="highlight">hounds are</span> running</p>'
      t.same(await shown(), [marked])
      t.same(await shown({ apply_markdown: false }), [marked], "HTML in any case")
      t.match(await read([["search", "fox"]]), [
        { match_subject: "t" },
        {
          match_content:
            '<p>a <span class="highlight">fox</span>, e.g. at <a href="https://fox.example/running?a=1">https://<span class="highlight">fox</span>.example/running?a=1</a></p>',
        },
        { match_subject: 'About &lt;<span class="highlight">Foxes</span>&gt;', match_content: "<p>nothing</p>" },
        { match_subject: "" },
      ])
      t.match(pluck(await read([["search", '"by process.env in" world']]), "match_content"), [
        /<p>set PARLEY_PORT <span class="highlight">by process.env in<\/span> kebab-case .* hello <span class="highlight">world<\/span>/,
      ])
      const marks = async (content: string, search: string) => {
        const id = await send("hamlet", { content })
        const found = await read([["search", search]], { ...byIds, message_ids: [id] })
        const [html] = pluck(found, "match_content")
        return String(html).replaceAll(/<span class="highlight">([^<]*)<\/span>/g, "[$1]")
      }
      t.equal(await marks("in /etc/passwd it is -5 now", "/etc/passwd -5"), "<p>in [/etc/passwd] it is [-5] now</p>")
      t.match(await marks("$$\\text{speed}$$ speed", "speed"), /^<p>[^[]* \[speed\]<\/p>$/)
      t.notMatch(await read([]), [{ match_content: /./ }], "only where something is searched for")

      const matches = async (narrow: unknown, ids: ReadonlyArray<number> = [...all, hidden, square]) =>
        (await server.as("hamlet").must.get("/messages/matches_narrow", { msg_ids: ids, narrow }))["messages"]
      t.same(await matches([["search", "hounds"]]), {
        [foxes]: {
          match_content: marked
            .replace('<span class="highlight">foxes</span>', "foxes")
            .replace(" are</span>", "</span> are"),
          match_subject: "t",
        },
      })
      t.same(await matches([["topic", "about <foxes>"]]), {
        [topic]: { match_content: "<p>nothing</p>", match_subject: "About &lt;Foxes&gt;" },
      })
      t.same(
        Object.keys(
          Object(
            await matches([
              ["search", "fox"],
              ["channels", "public"],
            ]),
          ),
        ),
        [foxes, fox, topic].map(String),
        "only what the user holds",
      )
      t.same(await matches([["search", "fox"]], []), {})

      const page = { anchor: "newest", num_before: 1, num_after: 0 }
      const refusals: ReadonlyArray<Refusal> = [
        {
          when: "nothing to search for",
          fields: { ...page, narrow: [["search", " "]] },
          msg: "operand cannot be blank.",
        },
        {
          when: "a long text",
          fields: { ...page, narrow: [["search", "x".repeat(1001)]] },
          msg: "operand is too long (limit: 1000 characters)",
        },
        {
          when: "many words",
          fields: { ...page, narrow: [["search", "x ".repeat(51)]] },
          msg: "operand has too many words (limit: 50)",
        },
        {
          when: "many texts",
          fields: { ...page, narrow: ["a", "b", "c", "d", "e", "f"].map((each) => ["search", each]) },
          msg: 'narrow has too many terms "search" (limit: 5)',
        },
      ]
      await refuses(t, refusals, (fields) => server.as("hamlet").get("/messages", fields))
      const narrowing: ReadonlyArray<Refusal> = [
        { when: "ids that are no list", fields: { msg_ids: 5, narrow: [] }, msg: "msg_ids is not a list" },
        { when: "no ids", fields: { narrow: [] }, code: "REQUEST_VARIABLE_MISSING", msg: /msg_ids/ },
        {
          when: "an unknown operator",
          fields: { msg_ids: [1], narrow: [["x", "y"]] },
          code: "BAD_NARROW",
          msg: /unknown operator x/,
        },
      ]
      await refuses(t, narrowing, (fields) => server.as("hamlet").get("/messages/matches_narrow", fields))
    },
  ),
)

/** Messages, the searches that find them, and what these mark. Emoji that are shown by a name have no marks. */
const leftOut: ReadonlyArray<readonly [content: string, found: Readonly<Record<string, string>>]> = [
  [
    "They don't know",
    { "don't": "They [don't] know", "DON’T they": "[They] [don't] know", '"don’t know"': "They [don't know]" },
  ],
  [
    "We don’t know what",
    { "don't": "We [don’t] know what", "(what?)": "We don’t know [what]", '"don’t know"': "We [don’t know] what" },
  ],
  ["A donut for mother, somewhat", {}],
  ["All \u{1f389}\u{1f389}", { "\u{1f389}": "All :tada::tada:", "\u{1f389} all": "[All] :tada::tada:" }],
  ["From me \u2764", { "\u2764\ufe0f": "From me [\u2764]", "\u2764 me": "From [me] [\u2764]" }],
  ["x-- Where", { "--": "x[--] Where", "where --": "x[--] [Where]" }],
  ["Sum of all: don it", { "where fox": "", it: "Sum of all: don [it]" }],
]

t.test("where the index leaves out every word, the words themselves are looked for", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const ids: Array<number> = []
    for (const [content] of leftOut) {
      const { id } = await server
        .as("hamlet")
        .must.post("/messages", { type: "channel", to: "lobby", topic: "topic", content })
      ids.push(Number(id))
    }
    const searches = [...new Set(leftOut.flatMap(([, found]) => Object.keys(found)))]
    const page = { anchor: "newest", num_before: 100, num_after: 0 }
    const check = async (how: string) => {
      for (const operand of searches) {
        const expected = leftOut.flatMap(([, found], n) => (found[operand] ? [[ids[n], found[operand]]] : []))
        const answer = await server.as("hamlet").must.get("/messages", { ...page, narrow: [["search", operand]] })
        const shown = pluck(answer["messages"], "match_content").map((html) =>
          String(html)
            .replaceAll(/<span class="highlight">([^<]*)<\/span>/g, "[$1]")
            .replaceAll(/<[^>]*>/g, "")
            .replaceAll("&#39;", "'"),
        )
        t.same(
          pluck(answer["messages"], "id").map((id, n) => [id, shown[n]]),
          expected,
          `${how}: ${operand}`,
        )
        const narrow = [{ operator: "search", operand, negated: true }]
        const others = await server.as("hamlet").must.get("/messages", { ...page, narrow })
        const found = new Set(expected.map(([id]) => id))
        t.same(
          pluck(others["messages"], "id"),
          ids.filter((id) => !found.has(id)),
          `${how}: not ${operand}`,
        )
      }
    }
    await check("with the index")
    await server.rows("delete from message_search")
    await server.rows("update search_progress set through = 0")
    await check("without it")
  }),
)
