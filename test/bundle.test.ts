/**
 * The bundle that bin/parley.js runs: each thread and process that the program starts is in it, what is left outside is
 * found, and an error names the lines of the sources. All else is tested by the modules one by one.
 */
import { readFileSync } from "node:fs"
import t from "tap"
import { demoPassword } from "../src/chat/server/setup/demo-password.ts"
import { packageFile } from "../src/db/package-root.ts"
import { findFreePort } from "../src/testing/free-port.ts"
import { request } from "./kit/client.ts"
import { makeDemoFlags } from "./kit/demo-place.ts"
import { originOf, Program, signIn, stopLine } from "./kit/program.ts"
import { basic } from "./kit/rows.ts"
import { plainPicture } from "./kit/some-pictures.ts"
import { formBytes, formType } from "./kit/uploads.ts"

t.test("every thread and process of the program is in its bundle", async (t) => {
  const [flags, port] = [await makeDemoFlags(t), await findFreePort()]
  const program = new Program(t, flags(port))
  t.equal(await program.port(), port, "the database's thread")

  const password = { username: "owner@demo.example", password: demoPassword }
  t.match(await request(originOf(port), "POST", "/fetch_api_key", password), { status: 200 }, "passwords are hashed")

  const owner = await signIn(port, "owner")
  const content = "$$x^2$$ on www.example.museum\n```python\nimport os\n```\n"
  await owner.send("general", content)
  const page = { anchor: "newest", num_before: 1, num_after: 0 }
  const { messages } = await owner.must.get("/messages", page)
  const html = JSON.stringify(messages)
  for (const [part, what] of [
    ['class=\\"katex\\"', "KaTeX"],
    ['class=\\"codehilite\\"', "a block of code"],
    ['<span class=\\"k\\">import</span>', "highlight.js"],
    ['href=\\"https://www.example.museum\\"', "the list of top-level domains"],
  ] as const)
    t.ok(html.includes(part), `the renderer has ${what}: ${html}`)

  const picture = await plainPicture(8, 8).png().toBuffer()
  const answer = await fetch(`${originOf(port)}/api/v1/realm/emoji/bundled`, {
    method: "POST",
    headers: { Authorization: basic(owner.account), "Content-Type": formType },
    body: new Uint8Array(formBytes({ field: "filename", name: "a.png", type: "image/png", bytes: picture })),
  })
  t.match(await answer.json(), { result: "success" }, "pictures are decoded")
  program.signal("SIGTERM")
  t.same(await program.ended, { code: 0, signal: null })
  t.same(program.log, [stopLine("SIGTERM")])
})

t.test("an error of the bundle names the sources", async (t) => {
  const planted = `const { parse } = JSON
    JSON.parse = (text, ...rest) => {
      if (text.includes("bin/parley.js")) throw new Error("planted")
      return parse(text, ...rest)
    }`
  const options = `--import=data:text/javascript,${encodeURIComponent(planted)}`
  const program = new Program(t, ["--version"], { NODE_OPTIONS: options })
  t.equal((await program.ended).code, 1)
  t.match(program.err, /^parley: Error: planted\n/)
  const [, file = "", line] = /at readVersion \((\S+\.ts):(\d+):\d+\)/.exec(program.err) ?? []
  t.equal(file, packageFile("src/db/package-root.ts"), program.err)
  t.match(readFileSync(file, "utf8").split("\n")[Number(line) - 1], /JSON\.parse/)
})
