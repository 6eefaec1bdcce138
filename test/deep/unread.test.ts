/** Large answers that nobody reads: what they take of the server's memory, and whether others are served meanwhile. */
import t from "tap"
import { makeFlags, Program, signIn } from "../kit/program.ts"
import { RawConnection, requestBytes } from "../kit/raw-http.ts"
import { sized } from "./budget.ts"

/** Together more than one answer may have. */
const messages = 1100
const connections = 60
/** The bound for the whole server is 128 MB, and its heap grows with what it makes. */
const mostGrowth = 400

t.test("answers that nobody reads take bounded memory, and nobody else's turn", async (t) => {
  const flags = await makeFlags(t)
  const program = new Program(t, flags(0))
  const port = await program.port()
  const member = await signIn(port, "member")
  const content = "x".repeat(10_000)
  for (let at = 0; at < messages; at += 50) {
    const sends = Array.from({ length: 50 }, () =>
      member.must.post("/messages", { type: "channel", to: "general", topic: "t", content }),
    )
    await Promise.all(sends)
  }
  const page = { anchor: "newest", num_before: 4999, num_after: 0 }
  const whole = await member.must.get("/messages", page)
  t.equal(whole["found_oldest"], false, "an answer ends where it is large enough")

  const readers = await Promise.all(["member", "member", "owner", "member"].map((name) => signIn(port, name)))
  const before = program.memory()
  const path = `/api/v1/messages?${new URLSearchParams({ anchor: "newest", num_before: "4999", num_after: "0" })}`
  const paused = Array.from({ length: connections }, (_, n) => {
    const connection = new RawConnection(port)
    connection.pause()
    const { email, key } = (readers[n % readers.length] ?? member).account
    const basic = `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`
    connection.write(requestBytes({ path, headers: { Host: "localhost", Authorization: basic } }))
    return connection
  })
  let most = 0
  for (let round = 0; round < sized(30, 10); round++) {
    const sent = await member.post("/messages", { type: "channel", to: "general", topic: "t", content: "still here" })
    t.equal(sent.status, 200, "a message goes through meanwhile")
    most = Math.max(most, program.memory() - before)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  t.comment(`${connections} answers of 10 MB: ${most.toFixed(0)} MB`)
  t.ok(most < mostGrowth, `${most.toFixed(0)} MB`)
  for (const connection of paused) connection.destroy()
  await Promise.all(paused.map(({ closed }) => closed))
  t.equal((await member.must.get("/messages", page))["found_newest"], true, "and their room is given back")
})
