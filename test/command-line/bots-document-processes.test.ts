/**
 * docs/bots.md: its lines are run by bash as they stand there, one after the other, and its programs beside them, but for the
 * server's and the program's ports, and the package, which is this checkout. The bots answer then, and what is posted has the
 * fields that stand there. The program in Python needs a package of somebody else, and is only compiled.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import t from "tap"
import type { Event } from "../../src/client/index.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { withServer } from "../../src/testing/index.ts"
import { personOf } from "../kit/client.ts"
import { objectIn } from "../kit/client-sections.ts"
import { createFolder, until } from "../kit/test-database.ts"

const text = readFileSync(packageFile("docs/bots.md"), "utf8")
const blocks = (language: string): ReadonlyArray<string> =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block)

/** A program that stays runs beside the lines that follow. */
const prelude = `
set -euo pipefail
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
node() {
  if [ "$1" = --test ]; then command node "$@"; return; fi
  command node "$@" > "$1.log" 2>&1 &
  until grep -q listening "$1.log"; do kill -0 $! || { cat "$1.log"; false; }; sleep 0.05; done
}
`

const contentOf = (event: Event): string => (event.type === "message" ? event.message.content : "")

/** The names of fields, those within them too. */
const namesIn = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(namesIn)
  if (typeof value !== "object" || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, namesIn(inner)]))
}

t.test("the lines and programs of docs/bots.md do what it says", { timeout: 600_000 }, async (t) => {
  const folder = await createFolder(t)
  const port = String(await findFreePort())
  const here = (program: string): string =>
    program
      .replace(/"parley-server\/(client|testing)"/g, (_, part) =>
        JSON.stringify(pathToFileURL(packageFile(`dist/program/${part}.js`)).href),
      )
      .replaceAll("8000", port)
  const [echo = "", answer = "", tested = "", ...rest] = blocks("js")
  t.same(rest, [])
  for (const [name, program] of Object.entries({ "echo.js": echo, "answer.js": answer, "answer.test.js": tested }))
    writeFileSync(join(folder, name), here(program))
  writeFileSync(join(folder, "package.json"), '{"type": "module"}')
  await withServer(async (server) => {
    const lines = blocks("sh").join("").replace("http://127.0.0.1:9991", server.url).replaceAll("8000", port)
    t.match(lines, /bot_type=1[\s\S]*node echo.js[\s\S]*bot_type=2[\s\S]*bot_type=3[\s\S]*node answer.js[\s\S]*--test/)
    const { PATH = "" } = process.env
    const queue = await server.queue("hamlet", { event_types: ["message"], apply_markdown: false })
    const child = spawn("bash", ["-c", `${prelude}${lines}\necho all done\nread -r _ || true`], {
      cwd: folder,
      env: { PATH, TMPDIR: folder },
      stdio: ["pipe", "pipe", "pipe"],
    })
    const ended = once(child, "close")
    try {
      const said: Array<string> = []
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => said.push(chunk.toString("utf8")))
      await until("the lines have run", 300_000, () => {
        if (child.exitCode !== null) throw new Error(said.join(""))
        return said.join("").includes("all done\n")
      })
      t.equal(said.join("").match(/"result":"success"/g)?.length, 3, said.join(""))
      t.equal(contentOf(await queue.next("message")), "**done**", "the incoming web hook")
      for (const [content, answered] of [
        ["@**Echo** hello", "You said: @**Echo** hello"],
        ["@**Answer** hello", "Hamlet said: @**Answer** hello"],
      ] as const) {
        await server.as("hamlet").send({ type: "channel", to: "general", topic: "castle", content })
        t.equal(contentOf(await queue.next("message")), content)
        t.equal(contentOf(await queue.next("message")), answered)
      }
    } finally {
      child.stdin.end()
      await ended
    }
  })
})

t.test("what is posted has the fields that docs/bots.md shows", async (t) => {
  const bodies: Array<string> = []
  const program = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString("utf8")
    })
    request.on("end", () => {
      bodies.push(body)
      response.end()
    })
  })
  await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve))
  const address = program.address()
  const payload_url = `http://127.0.0.1:${address === null || typeof address === "string" ? 0 : address.port}/`
  await withServer(async (server) => {
    const owner = server.person("owner")
    for (const [interface_type, short_name] of [
      [1, "answer"],
      [2, "slack"],
    ] as const) {
      const bot = { full_name: short_name, short_name, bot_type: 3, payload_url, interface_type }
      await personOf(server.url, { email: owner.email, key: server.keyOf("owner") }).must.post("/bots", bot)
      const content = `@**${short_name}** hello`
      await server.as("hamlet").send({ type: "channel", to: "general", topic: "castle", content })
      await until(`${short_name} is called`, 20_000, () => bodies.length === interface_type)
    }
  })
  program.close()
  const [json = "", form = ""] = bodies
  const [shown = ""] = blocks("json")
  const [fields = ""] = blocks("form")
  t.strictSame(namesIn(JSON.parse(shown)), namesIn(JSON.parse(json)), json)
  const names = (given: string) => [...new URLSearchParams(given.replaceAll("\n", "")).keys()]
  t.strictSame(names(fields), names(form), form)
  t.equal(objectIn(JSON.parse(json))["trigger"], "mention")
})

const python = spawnSync("python3", ["--version"]).status === 0

t.test("its program in Python can be compiled", { skip: !python && "there is no python3" }, async (t) => {
  const [program = ""] = blocks("python")
  t.match(program, /call_on_each_event/)
  const compiled = spawnSync("python3", ["-c", "import sys; compile(sys.stdin.read(), 'echo.py', 'exec')"], {
    input: program,
    encoding: "utf8",
  })
  t.equal(compiled.status, 0, compiled.stderr)
})
