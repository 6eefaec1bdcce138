/** The arrows between the parts of the program, and the other rules of source-rules.ts, on the sources as they are. */
import { readFileSync } from "node:fs"
import t from "tap"
import { areas } from "../../src/chat/feature.ts"
import { features } from "../../src/chat/features.ts"
import { featureListPage } from "./feature-list.ts"
import { findCircles } from "./import-circles.ts"
import { readSources } from "./read-sources.ts"
import { findViolations, type Source } from "./source-rules.ts"
import { scanSource } from "./source-scanner.ts"

t.test("the sources keep the rules", async (t) => {
  const sources = readSources()
  t.ok(sources.some(({ path }) => path === "src/config/config.ts"))
  t.ok(sources.some(({ path }) => path === "src/db/database.ts"))
  t.strictSame(findViolations(sources), [])
})

t.test("the features of an area stand together, in the order of the areas", async (t) => {
  const places = features.map(({ area }) => areas.indexOf(area))
  t.strictSame(
    places,
    [...places].sort((a, b) => a - b),
  )
})

t.test("nothing imports itself by a detour, neither files nor folders", async (t) => {
  t.strictSame(findCircles(readSources()), [])
})

t.test("docs/feature-list.md says what the definitions say", async (t) => {
  t.equal(readFileSync("docs/feature-list.md", "utf8"), featureListPage, "npm run docs writes it")
})

const line = "export const x = 1\n"
const manyFiles = (count: number): ReadonlyArray<Source> =>
  Array.from({ length: count }, (_, n) => ({ path: `src/http/a${n}.ts`, text: "" }))

t.test("violations are found", async (t) => {
  const planted: ReadonlyArray<readonly [path: string, text: string, fault: string]> = [
    ["src/chat/a.ts", 'import { b } from "../http/b.ts"', "chat does not import http (../http/b.ts)"],
    [
      "src/chat/changing/typing/a.ts",
      'import type { B } from "../../../http/b.ts"',
      "chat does not import http (../../../http/b.ts)",
    ],
    ["src/jobs/a.ts", 'import "../chat/b.ts"', "jobs does not import chat (../chat/b.ts)"],
    ["src/events/a.ts", 'import "../jobs/b.ts"', "events does not import jobs (../jobs/b.ts)"],
    ["src/events/a.ts", 'export * from "../chat/b.ts"', "events does not import chat (../chat/b.ts)"],
    ["src/events/a.ts", 'const b = await import("../http/b.ts")', "events does not import http (../http/b.ts)"],
    ["src/events/a.ts", 'const b: typeof import("../http/b.ts") = c', "events does not import http (../http/b.ts)"],
    ["src/events/a.ts", 'import {\n  b,\n} from\n  "../chat/b.ts"', "events does not import chat (../chat/b.ts)"],
    ["src/db/a.ts", 'import { b } from "../events/b.ts"', "db does not import events (../events/b.ts)"],
    ["src/http/a.ts", 'import { b } from "../db/b.ts"', "http does not import db (../db/b.ts)"],
    ["src/http/a.ts", 'import type { B } from "../chat/sync/b.ts"', "http does not import chat (../chat/sync/b.ts)"],
    ["src/http/a.ts", 'import { b } from "../app.ts"', "http does not import top (../app.ts)"],
    ["src/client/a.ts", 'import { b } from "../chat/b.ts"', "client does not import chat (../chat/b.ts)"],
    ["src/client/a.ts", 'import type { B } from "../json.ts"', "client does not import contract (../json.ts)"],
    [
      "src/client/a.ts",
      'import { b } from "node:fs"',
      "the client imports no package: it runs in browsers, too (node:fs)",
    ],
    ["src/web/a.tsx", 'import { b } from "../chat/b.ts"', "web does not import chat (../chat/b.ts)"],
    ["src/web/a.tsx", 'import { b } from "node:fs"', "the page imports no package but preact (node:fs)"],
    ["src/chat/a.ts", 'import { b } from "../web/b.ts"', "chat does not import web (../web/b.ts)"],
    ["src/openapi/a.ts", 'import { b } from "../http/b.ts"', "openapi does not import http (../http/b.ts)"],
    ["src/api/errors.ts", 'import { b } from "../db/b.ts"', "contract does not import db (../db/b.ts)"],
    [
      "src/config/config.ts",
      'import { b } from "./read-settings.ts"',
      "contract does not import start (./read-settings.ts)",
    ],
    ["src/ids.ts", 'import { b } from "node:fs"', "a contract imports only contracts and effect (node:fs)"],
    ["src/chat/a.ts", 'import { b } from "../../test/b.ts"', "the program imports only from src (../../test/b.ts)"],
    ["src/chat/a.ts", 'import { b } from "../misc/b.ts"', "a folder that the layout does not know (../misc/b.ts)"],
    [
      "src/http/a.ts",
      'import u from "uWebSockets.js"',
      "only src/http/network/uws*.ts imports uWebSockets.js (uWebSockets.js)",
    ],
    [
      "src/app.ts",
      'import("uWebSockets.js-next")',
      "only src/http/network/uws*.ts imports uWebSockets.js (uWebSockets.js-next)",
    ],
    ["src/app.ts", 'import postgres from "postgres"', "only src/db names a driver (postgres)"],
    [
      "src/events/a.ts",
      'import { PGlite } from "@electric-sql/pglite"',
      "only src/db names a driver (@electric-sql/pglite)",
    ],
    [
      "src/chat/a.ts",
      "const q = `\n  select id from users`",
      "SQL belongs into a store, a .sql file or src/db (select id from users)",
    ],
    ["src/chat/a.ts", 'q("select send($1)")', "SQL belongs into a store, a .sql file or src/db (select send($1))"],
    [
      "src/http/a.ts",
      'q("insert into t values (1)")',
      "SQL belongs into a store, a .sql file or src/db (insert into t values (1))",
    ],
    [
      "src/chat/a.ts",
      'q("update users u set a = 1")',
      "SQL belongs into a store, a .sql file or src/db (update users u set a = 1)",
    ],
    ["src/events/hub.ts", 'q("DELETE FROM t")', "SQL belongs into a store, a .sql file or src/db (DELETE FROM t)"],
    [
      "src/chat/sending/messages/a.sql",
      "select lower(topic) from message",
      "SQL compares what the program has folded, see fold in src/chat/ground/realm/domain-values.ts (lower()",
    ],
    [
      "src/chat/sending/messages/a-store.ts",
      'q("select id from message where topic ilike $1")',
      "SQL compares what the program has folded, see fold in src/chat/ground/realm/domain-values.ts (ilike)",
    ],
    [
      "src/chat/a.ts",
      "export const a = userEndpoint({ run: () => findPerson(realm, id) })",
      "an endpoint finds people by chat/ground/realm/acquaintance/find-user.ts, not by findPerson",
    ],
    ["src/chat/a.ts", "const x: any = 1", "the type any"],
    ["src/chat/a.ts", "const x = y as any", "the type any"],
    ["test/a.test.ts", "const x: Array<any> = []", "the type any"],
    ["bench/a.ts", "type X = string | any[]", "the type any"],
    ["src/chat/a.ts", "// @ts-expect-error\nconst x = 1", "a comment that silences the compiler or the linter"],
    ["test/a.test.ts", "/* biome-ignore lint: no */", "a comment that silences the compiler or the linter"],
    ["src/chat/utils.ts", "", "a name that says nothing"],
    ["src/lib/a.ts", "", "a name that says nothing"],
    ["test/helpers.ts", "", "a name that says nothing"],
    ["scripts/common/a.mjs", "", "a name that says nothing"],
    ["src/chat/a.ts", line.repeat(301), "301 lines, more than 300: split it"],
    ["src/a.ts", line.repeat(301), "301 lines, more than 300: split it"],
    ["src/chat/sending/messages/a.sql", "select 1;\n".repeat(301), "301 lines, more than 300: split it"],
    [
      "src/chat/ground/realm/a.ts",
      'import { b } from "../kinds/b.ts"',
      "chat/ground/realm comes before chat/ground/kinds and does not import it (../kinds/b.ts)",
    ],
    [
      "src/chat/text/markdown/a.ts",
      'import type { B } from "../../server/runtime/b.ts"',
      "chat/text/markdown comes before chat/server/runtime and does not import it (../../server/runtime/b.ts)",
    ],
    [
      "src/chat/ground/kinds/a.ts",
      'type B = typeof import("../../sending/messages/deep/b.ts")',
      "chat/ground/kinds comes before chat/sending/messages and does not import it (../../sending/messages/deep/b.ts)",
    ],
    [
      "src/chat/sending/messages/deep/a.ts",
      'export type { B } from "../../../changing/typing/b.ts"',
      "chat/sending/messages comes before chat/changing/typing and does not import it (../../../changing/typing/b.ts)",
    ],
    [
      "src/chat/server/runtime/a.ts",
      'import type { B } from "../../features.ts"',
      "chat/server/runtime comes before chat/features and does not import it (../../features.ts)",
    ],
    [
      "src/chat/changing/typing/a.ts",
      'import { b } from "../../feature.ts"',
      "only definitions import the shape of a definition (../../feature.ts)",
    ],
    [
      "src/app.ts",
      'import { b } from "./chat/changing/typing/feature.ts"',
      "only src/chat/features.ts imports definitions (./chat/changing/typing/feature.ts)",
    ],
    [
      "src/chat/personal/polls/a.ts",
      'import { b } from "../../ground/realm/b.ts"',
      "chat/personal/polls is not in the order of the features",
    ],
    ["src/chat/personal/polls/a.sql", "", "chat/personal/polls is not in the order of the features"],
    [
      "src/chat/server/runtime/a.ts",
      'import { b } from "../../personal/polls/b.ts"',
      "chat/personal/polls is not in the order of the features (../../personal/polls/b.ts)",
    ],
    ["src/chat/changing/typing/a.ts", "let last = 0", "state at module level (last)"],
    ["src/events/a.ts", "export let last: number | null = null", "state at module level (last)"],
    [
      "src/chat/changing/typing/a.ts",
      "const known = new Map<string, number>()",
      "state at module level, unless it is typed ReadonlyMap or ReadonlySet (known)",
    ],
    [
      "src/events/a.ts",
      "import { b } from './b.ts'\n\nexport const known: Set<string> =\n  new Set()",
      "state at module level, unless it is typed ReadonlyMap or ReadonlySet (known)",
    ],
    [
      "test/a.test.ts",
      'import t from "tap"\n\nt.jobs = 3\nvoid t.test("a", f)',
      "set for all files of the process: it belongs into a test",
    ],
    ["test/a.test.ts", "t.before(f)", "set for all files of the process: it belongs into a test"],
    ["test/a.test.ts", "t.beforeEach(f)", "set for all files of the process: it belongs into a test"],
    ["test/kit/a.ts", "tap.afterEach(f)", "set for all files of the process: it belongs into a test"],
    ...[
      'process.env["X"] = "1"',
      "process.env.X = y",
      "delete process.env.X",
      'Reflect.deleteProperty(process.env, "X")',
      "Object.assign(process.env, { X: y })",
    ].map((text) => ["test/a.test.ts", text, "the environment is that of all tests of the process"] as const),
    ["test/a.test.ts", "process.chdir(folder)", "the folder and its mask are those of all tests of the process"],
  ]
  for (const [path, text, fault] of planted) t.strictSame(findViolations([{ path, text }]), [`${path}: ${fault}`], text)
  t.strictSame(findViolations(manyFiles(26)), ["src/http: 26 files, more than 25: divide it"])
})

const circle = "a circle of imports: "

t.test("circles of imports are found", async (t) => {
  const planted: ReadonlyArray<[files: Readonly<Record<string, string>>, faults: ReadonlyArray<string>]> = [
    [
      { "src/http/a.ts": 'import type { B } from "./b.ts"', "src/http/b.ts": 'export { a } from "./a.ts"' },
      [`${circle}src/http/a.ts, src/http/b.ts`],
    ],
    [
      {
        "src/ids.ts": 'import "./json.ts"',
        "src/json.ts": 'type C = typeof import("./clock.ts")',
        "src/clock.ts": 'const i = await import("./ids.ts")',
      },
      [`${circle}src/clock.ts, src/ids.ts, src/json.ts`],
    ],
    [{ "src/db/a.ts": 'import type { A } from "./a.ts"' }, [`${circle}src/db/a.ts`]],
    [
      {
        "src/http/api/a.ts": 'import type { B } from "../bodies/b.ts"',
        "src/http/bodies/c.ts": 'import type { D } from "../api/d.ts"',
        "src/http/bodies/b.ts": "",
        "src/http/api/d.ts": "",
      },
      [`${circle}src/http/api, src/http/bodies`],
    ],
    [
      {
        "src/events/past/a.ts": 'import type { B } from "../b.ts"',
        "src/events/c.ts": 'import { d } from "./past/d.ts"',
        "src/events/b.ts": "",
        "src/events/past/d.ts": "",
      },
      [`${circle}src/events, src/events/past`],
    ],
  ]
  for (const [files, faults] of planted)
    t.strictSame(findCircles(Object.entries(files).map(([path, text]) => ({ path, text }))), faults)
})

t.test("no circle is found where there is none", async (t) => {
  const files = [
    { path: "src/app.ts", text: 'import { a } from "./http/a.ts"' },
    { path: "src/http/a.ts", text: 'import { b } from "./deep/b.ts"\nimport { c } from "../clock.ts"' },
    { path: "src/http/deep/b.ts", text: 'import { c } from "../../clock.ts"\n// import { a } from "../a.ts"' },
    { path: "src/http/c.ts", text: 'import { a } from "./a.ts"' },
    { path: "src/clock.ts", text: 'import { a } from "./absent.ts"' },
    { path: "test/a.test.ts", text: 'import { a } from "./a.test.ts"' },
  ]
  t.strictSame(findCircles(files), [])
})

t.test("what is allowed is not found", async (t) => {
  const clean: ReadonlyArray<[path: string, text: string]> = [
    [
      "src/http/a.ts",
      'import { a } from "./b.ts"\nimport { c } from "../errors.ts"\nimport { e } from "../events/e.ts"',
    ],
    [
      "src/chat/changing/typing/a.ts",
      'import { a } from "./b.ts"\nimport { c } from "../../../db/c.ts"\nimport x from "xstate"',
    ],
    ["src/chat/changing/typing/a.ts", 'import { periodic } from "../../../jobs/job.ts"'],
    ["src/events/a.ts", 'import { d } from "../db/database.ts"\nimport { e } from "../errors.ts"'],
    ["src/app.ts", 'import { a } from "./http/a.ts"\nimport { b } from "./db/b.ts"'],
    ["src/config/config.ts", 'import { Context } from "effect"\nimport { e } from "effect/Schema"'],
    ["src/config/read-settings.ts", 'import { a } from "./config.ts"\nimport { b } from "node:util"'],
    ["src/http/network/uws-loader.ts", 'import("uWebSockets.js-next")'],
    ["src/db/postgres.ts", 'import postgres from "postgres"\nq("select 1 from t")'],
    ["src/chat/sending/messages/earlier-sends-store.ts", 'q("select 1 from t")'],
    ["src/events/queue-store.ts", 'q("select 1 from t")'],
    ["src/events/log.ts", 'q("select 1 from t")'],
    ["test/a.test.ts", 'q("select 1 from t")'],
    ["src/chat/a.ts", '// import { b } from "../http/b.ts"\n/* select id from users; x: any */'],
    ["src/chat/a.ts", "const s = 'import { b } from \"../http/b.ts\"; x: any @ts-ignore'"],
    ["src/chat/a.ts", 'const s = `${f(`${"}"}`)} import "../http/b.ts"`; const r = /["`\\/]/; const d = a / b / c'],
    ["src/chat/a.ts", 'const s = "You may select a topic from the list, or any"'],
    ["src/chat/a.ts", "const company = many; const x = { any: 1 }; x.any(1)"],
    ["src/chat/library.ts", ""],
    ["src/chat/a.ts", line.repeat(300)],
    ["src/chat/sending/messages/a.sql", "select 1;\n".repeat(300)],
    ["src/db/migrations/999-a.sql", "update a set b = lower(c)"],
    ["bench/a.ts", line.repeat(301)],
    ["src/chat/ground/kinds/a.ts", 'import { b } from "../realm/b.ts"\nimport type { C } from "./c.ts"'],
    [
      "src/chat/sending/messages/deep/a.ts",
      'import { b } from "../b.ts"\nimport { c } from "../../../ground/wire/c.ts"',
    ],
    [
      "src/chat/features.ts",
      'import { b } from "./server/runtime/feature.ts"\nimport { c } from "./ground/images/feature.ts"',
    ],
    ["src/chat/changing/typing/feature.ts", 'import { feature } from "../../feature.ts"\nimport { b } from "./b.ts"'],
    ["src/app.ts", 'import { b } from "./chat/features.ts"\nimport { c } from "./chat/markdown/c.ts"'],
    ["src/chat/changing/typing/a.ts", "const kept = new WeakMap<object, number>()\nconst f = () => {\n  let n = 0\n}"],
    ["src/chat/changing/typing/a.ts", "export const names: ReadonlyMap<string, number> = new Map([\n  [x, 1],\n])"],
    ["src/events/a.ts", "const none: ReadonlySet<number> = new Set()\nconst made = Array.from(new Set([1]))"],
    ["src/chat/changing/typing/a.ts", "const f = () => {\n  const found = new Map<string, number>()\n}"],
    ["src/http/a.ts", "let last = 0\nconst known = new Map<string, number>()"],
    ["test/a.test.ts", 't.test("a", async (t) => {\n  t.jobs = 3\n  t.beforeEach(f)\n})'],
    ["test/a.test.ts", "t.test(`\nt.jobs = 3`, f)\n// t.jobs = 3\nt.equal(t.jobs, 1)"],
    [
      "test/a.test.ts",
      'const { X } = process.env\nif (process.env["X"] === "1") spawn(x, { env: { ...process.env } })',
    ],
  ]
  for (const [path, text] of clean) t.strictSame(findViolations([{ path, text }]), [], text.slice(0, 100))
  t.strictSame(findViolations([...manyFiles(25), { path: "src/http/deep/a.ts", text: "" }]), [])
})

t.test("the scanner tells code, strings and comments apart", async (t) => {
  const scanned = scanSource('a("x\\"y") // c "d"\nb = `1${ {e: `2`} }3` / 2 /* f */ + c.replace(/[/"]/g, \'\')')
  t.strictSame(scanned.strings, ['x\\"y', "1", "2", "3", '[/"]/', ""])
  t.equal(scanned.comments, '// c "d"\n/* f */')
  t.equal(scanned.code, 'a("0") \nb = "1" {e: "2"} "3" / 2  + c.replace("4", "5")')
})
