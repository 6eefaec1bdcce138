/** I13 over a SIGKILL: a queue that nobody has polled yet gives, after the next start, what makes its register complete. */
import t from "tap"
import { ServerProcess } from "../faults/kill/server-process.ts"
import { personOf, request } from "../kit/client.ts"
import { kindsOfClients, settlesUnderLoad } from "../kit/settles.ts"
import { adminUrl, createFolder, createPostgresDatabase } from "../kit/test-database.ts"
import { disturbance } from "../walks/settles/disturbance.ts"
import { timeout } from "./budget.ts"

t.test("I13: state and events agree after a kill between register and the first poll", { timeout }, async (t) => {
  const faults: Array<string> = []
  const url = adminUrl === undefined ? null : await createPostgresDatabase(t, adminUrl)
  const process = await ServerProcess.create({
    folder: await createFolder(t),
    url,
    onFault: (fault) => faults.push(fault),
  })
  t.teardown(() => process.kill())
  process.start()
  await process.ready()
  // A kill takes who was there in the last seconds, as the demo's people were: an orderly end keeps them.
  await process.stop()
  process.start()
  await process.ready()
  const personAt = async (name: string) => {
    const username = `${name}@demo.example`
    const { body } = await request(process.origin, "POST", "/dev_fetch_api_key", { username })
    return {
      person: personOf(process.origin, { email: username, key: String(body["api_key"]) }),
      user: Number(body["user_id"]),
    }
  }
  const [owner, moderator] = await Promise.all([personAt("owner"), personAt("moderator")])
  const people = await Promise.all(["member", "admin", "guest"].map(personAt))
  const views = people.flatMap(({ person, user }) =>
    kindsOfClients
      .slice(0, 3)
      .map(([label, fields]) => ({ label: `${user} as ${label}`, person, port: process.port, user, fields })),
  )
  const all = [owner, moderator, ...people].map(({ user }) => user)
  const killAndStart = async () => {
    await process.kill()
    process.start()
    await process.ready()
  }
  await settlesUnderLoad(
    t,
    views,
    "killed",
    () => owner.person.send("general", "before the kill"),
    disturbance(owner.person, moderator.person, all),
    { interrupt: killAndStart },
  )
  t.same(faults, [])
})
