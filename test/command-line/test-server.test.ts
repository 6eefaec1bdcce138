/**
 * `parley test-server`: what it prints, and that it ends with its input. That it ends with whoever started it, however that
 * ends, and what more takes processes: test-server-processes.test.ts.
 */
import { readdirSync } from "node:fs"
import t from "tap"
import { isListenedTo } from "../../src/testing/find-leaks.ts"
import { personOf } from "../kit/client.ts"
import { runCommand } from "../kit/run-command.ts"
import { only, startTestServer } from "./test-server-process.ts"

t.test("one line tells where it is and who is there, and it ends with its input", only, async (t) => {
  const { child, folder, told, ended, complaint } = startTestServer(t, ["--port", "0", "--json"])
  const { url, port, people } = await told()
  t.equal(url, `http://127.0.0.1:${port}`)
  const names = ["owner", "admin", "moderator", "member", "guest", "visitor", "bot"]
  t.same(people.map(({ name }) => name).slice(0, 7), names)
  for (const { email, apiKey } of people)
    t.equal((await personOf(url, { email, key: apiKey }).get("/users/me")).body["email"], email)
  child.stdin?.end()
  t.same(await ended, [0, null])
  t.equal(complaint(), "")
  t.notOk(await isListenedTo(port))
  t.same(readdirSync(folder), [], "it leaves nothing behind")
})

t.test("what is wrong is said in one line", async (t) => {
  const { code, out, err } = await runCommand(["test-server", "--port", "many"])
  t.same({ code, out }, { code: 2, out: "" })
  t.match(err, /^parley: (PARLEY_PORT|--port) is "many": expected [^\n]*\n$/)
})
