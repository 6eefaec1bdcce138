/** GET /metrics: who may read it, that it is Prometheus' format, and that its figures follow what happens. */
import * as Effect from "effect/Effect"
import t from "tap"
import type { MetricFamily } from "../../../src/api/metrics.ts"
import { Realms } from "../../../src/chat/ground/realm/realms.ts"
import { createRealm } from "../../../src/chat/server/setup/realm-create.ts"
import { Database } from "../../../src/db/database.ts"
import { packageVersion } from "../../../src/db/package-root.ts"
import { inParts, labelled, writePart } from "../../../src/http/metrics/exposition.ts"
import { RealmId } from "../../../src/ids.ts"
import { type Name, names } from "../../kit/cast.ts"
import { ask as askRaw, bodyOf } from "../../kit/raw-http.ts"
import { withServer } from "../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet"] }] as const

const exposition = (families: ReadonlyArray<MetricFamily>): string => inParts(families).map(writePart).join("")

interface Read {
  readonly types: ReadonlyMap<string, string>
  readonly helps: ReadonlySet<string>
  /** By name and labels, as they stand there. */
  readonly values: ReadonlyMap<string, number>
}

const sampleLine = /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})? (-?[\d.e+-]+|NaN|[+-]Inf)$/

/** Throws at a line that is none of the format. */
const parse = (text: string): Read => {
  const types = new Map<string, string>()
  const helps = new Set<string>()
  const values = new Map<string, number>()
  for (const line of text.trimEnd().split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? []
    if (kind === "TYPE") types.set(name, rest)
    else if (kind === "HELP") helps.add(name)
    else {
      const [, sample, labels = "", value] = sampleLine.exec(line) ?? []
      if (sample === undefined) throw new Error(`not a sample: ${line}`)
      if (values.has(sample + labels)) throw new Error(`twice: ${line}`)
      values.set(sample + labels, Number(value))
    }
  }
  return { types, helps, values }
}

const read = async (origin: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(`${origin}/metrics`, { headers })
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }
}

t.test("figures of one of several processes at a port bear its number", async (t) => {
  const families: ReadonlyArray<MetricFamily> = [
    { name: "parley_a_total", help: "A.", type: "counter", samples: [{ labels: { code: "200" }, value: 1 }] },
    {
      name: "parley_b",
      help: "B.",
      type: "histogram",
      samples: [{ labels: {}, bounds: [1], counts: [1], count: 2, sum: 3 }],
    },
  ]
  const { values } = parse(exposition(labelled(families, { child: "2" })))
  t.equal(values.get('parley_a_total{code="200",child="2"}'), 1)
  t.equal(values.get('parley_b_bucket{child="2",le="1"}'), 1)
  t.equal(values.get('parley_b_sum{child="2"}'), 3)
})

t.test("figures follow what happens", (t) =>
  withServer(t, { channels }, async (server) => {
    const { status, type, text } = await read(server.origin)
    t.equal(status, 200)
    t.match(type, /^text\/plain; version=0\.0\.4/)
    const before = parse(text)
    await server.as("hamlet").send("lobby", "a secret thing")
    await server.as("hamlet").post("/messages", { type: "channel", to: "nowhere", topic: "t", content: "c" })
    const later = await read(server.origin)
    const after = parse(later.text)
    const moved = (key: string) => (after.values.get(key) ?? 0) - (before.values.get(key) ?? 0)
    t.equal(moved('parley_http_answers_total{endpoint="POST /messages",code="200"}'), 1)
    t.equal(moved('parley_http_answers_total{endpoint="POST /messages",code="400"}'), 1)
    t.equal(moved('parley_http_duration_seconds_count{endpoint="POST /messages"}'), 2)
    t.equal(moved('parley_http_duration_seconds_bucket{endpoint="POST /messages",le="+Inf"}'), 2)
    t.ok(moved(`parley_log_position{realm="${server.realmId}"}`) >= 1)
    t.ok(moved(`parley_commits_total{realm="${server.realmId}"}`) >= 1)
    t.ok(moved(`parley_commands_total{realm="${server.realmId}"}`) >= 1)
    t.ok(moved("parley_database_statements_total") >= 1)
    t.equal(after.values.get("parley_database_up"), 1)
    const version = `version="${packageVersion()}",node="${process.versions.node}"`
    t.equal(after.values.get(`parley_build_info{${version}}`), 1)
    t.equal(after.values.get("parley_database_writes_fail"), 0)
    t.ok((after.values.get("process_resident_memory_bytes") ?? 0) > 1e6)
    for (const key of after.values.keys()) {
      const name = key.replace(/\{.*/, "")
      const family = after.types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "")
      t.ok(after.types.has(family) && after.helps.has(family), `${name} has its type and help`)
      if (after.types.get(family) === "counter") t.match(family, /_total$/)
    }
    const { key, email } = server.as("hamlet").account
    for (const secret of [key, email, "secret thing", "hamlet", "lobby"]) t.notOk(later.text.includes(secret), secret)
    for (const name of ["X-Forwarded-For", "Via", "X-Real-IP"])
      t.equal((await read(server.origin, { [name]: "192.0.2.1" })).status, 404, `by a proxy: ${name}`)
    t.equal((await fetch(`${server.origin}/metrics`, { method: "POST" })).status, 405)
  }),
)

t.test("with a token nobody reads without it", (t) =>
  withServer(t, { channels, config: { metricsToken: "0123456789abcdef", rateLimit: true } }, async (server) => {
    t.equal((await read(server.origin)).status, 404)
    t.equal((await read(server.origin, { Authorization: "Bearer 0123456789abcdeg" })).status, 404)
    const asked = { headers: { Origin: "https://elsewhere.example" } }
    const hidden = await fetch(`${server.origin}/metrics`, asked)
    const nothing = await fetch(`${server.origin}/nothing`, asked)
    t.strictSame([...hidden.headers.keys()], [...nothing.headers.keys()], "nothing tells it from what does not exist")
    t.equal(await hidden.text(), await nothing.text())
    const { status, text } = await read(server.origin, {
      Authorization: "Bearer 0123456789abcdef",
      "X-Forwarded-For": "192.0.2.1",
    })
    t.equal(status, 200)
    t.notOk(text.includes("0123456789abcdef"))
    parse(text)
  }),
)

t.test("an owner of the only organization reads them by the key; for all others nothing is there", (t) =>
  withServer(t, { channels, config: { metricsToken: "0123456789abcdef" } }, async (server) => {
    const signed = (name: Name, key = server.as(name).account.key) => {
      const { email } = server.as(name).account
      const authorization = `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`
      return { Authorization: authorization, "X-Forwarded-For": "192.0.2.1" }
    }
    const ask = async (path: string, headers: Readonly<Record<string, string>>) => {
      const answer = await fetch(`${server.origin}${path}`, { headers })
      const names = [...answer.headers].filter(([name]) => name !== "date")
      return { status: answer.status, headers: names, text: await answer.text() }
    }
    const read = await ask("/metrics", signed("desdemona"))
    t.equal(read.status, 200)
    t.ok(parse(read.text).values.has("process_resident_memory_bytes"))
    const refused = names.filter((name) => name !== "desdemona").map((name) => signed(name))
    t.equal(refused.length, 6)
    const wrong = [signed("desdemona", "0".repeat(32)), { Authorization: "Basic eA==" }, { Authorization: "Bearer x" }]
    for (const headers of [...refused, ...wrong])
      t.strictSame(await ask("/metrics", headers), await ask("/nothing", headers))

    await server.as("desdemona").must.patch(`/users/${server.idOf("iago")}`, { role: 100 })
    t.equal((await ask("/metrics", signed("iago"))).status, 200, "whoever is made an owner")
    await server.as("desdemona").must.patch(`/users/${server.idOf("iago")}`, { role: 200 })
    t.equal((await ask("/metrics", signed("iago"))).status, 404, "and is one no more")

    await server.run(
      Effect.gen(function* () {
        const database = yield* Database
        yield* createRealm(database, { id: RealmId(2), host: "second.example", settings: { name: "Second" } }, 0)
        yield* (yield* Realms).refresh()
      }),
    )
    const host = { ...signed("desdemona"), Host: "test.example" }
    const wire = (path: string) => askRaw(server.port, { path, headers: host })
    const [hidden, nothing] = [await wire("/metrics"), await wire("/nothing")]
    t.equal(hidden?.status, 404, "one of several organizations is not the server")
    t.strictSame(bodyOf(hidden), bodyOf(nothing))
  }),
)

t.test("labels and numbers are written as the format has them", async (t) => {
  const text = exposition([
    { name: "a_total", help: "A\\b\nc", type: "counter", samples: [{ labels: { of: 'x"\\\ny' }, value: 1 }] },
    {
      name: "b_seconds",
      help: "B",
      type: "histogram",
      samples: [{ labels: {}, bounds: [0.5, 1], counts: [1, 2], count: 3, sum: 4.5 }],
    },
  ])
  t.equal(
    text,
    `${[
      "# HELP a_total A\\\\b\\nc",
      "# TYPE a_total counter",
      'a_total{of="x\\"\\\\\\ny"} 1',
      "# HELP b_seconds B",
      "# TYPE b_seconds histogram",
      'b_seconds_bucket{le="0.5"} 1',
      'b_seconds_bucket{le="1"} 2',
      'b_seconds_bucket{le="+Inf"} 3',
      "b_seconds_sum 4.5",
      "b_seconds_count 3",
    ].join("\n")}\n`,
  )
})

t.test("a long family is written in parts, under one type", async (t) => {
  const samples = Array.from({ length: 100 }, (_, each) => ({ labels: { of: `#${each}` }, value: each }))
  const families: ReadonlyArray<MetricFamily> = [
    { name: "none", help: "N", type: "gauge", samples: [] },
    { name: "long", help: "L", type: "gauge", samples },
  ]
  t.ok(inParts(families).length > 3)
  const lines = exposition(families).trimEnd().split("\n")
  t.same(lines.slice(0, 3), ["# HELP long L", "# TYPE long gauge", 'long{of="#0"} 0'])
  t.same(
    lines.slice(2),
    samples.map(({ labels, value }) => `long{of="${labels.of}"} ${value}`),
  )
})
