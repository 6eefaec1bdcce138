/** 1,500 unfinished request bodies of nobody, as large as an account's may be: what they take of the server's memory. */
import t from "tap"
import { makeFlags, originOf, Program, signIn } from "../kit/program.ts"
import { RawConnection, requestBytes } from "../kit/raw-http.ts"
import { until } from "../kit/test-database.ts"
import { inTime } from "./budget.ts"

const local = { Host: "localhost", "Content-Type": "application/x-www-form-urlencoded" }
const megabyte = 1024 * 1024
/** The memory for all bodies is 64 MB, and that of strangers a quarter of it; the rest is the connections. */
const mostGrowth = 150

const bodies = [
  ["/api/v1/messages", megabyte - 1000],
  ["/api/v1/fetch_api_key", megabyte - 1000],
  ["/api/v1/fetch_api_key", 60_000],
] as const

/** False where the connection was closed to make room, as it may be before the question has come. */
const isHealthy = (port: number): Promise<boolean> =>
  fetch(`${originOf(port)}/health`, { headers: { Connection: "close" } }).then(
    ({ status }) => status === 200,
    () => false,
  )

t.test("unfinished bodies of nobody take little memory, and nobody else's", async (t) => {
  const flags = await makeFlags(t)
  const program = new Program(t, flags(0))
  const port = await program.port()
  const member = await signIn(port, "member")
  for (const [path, size] of inTime(bodies, "bodies")) {
    const before = program.memory()
    const connections = Array.from({ length: 1500 }, () => {
      const connection = new RawConnection(port)
      const headers = { ...local, "Content-Length": String(megabyte) }
      connection.write(requestBytes({ method: "POST", path, headers }))
      connection.write(Buffer.alloc(size, "x"))
      return connection
    })
    // Each is answered or waits; the last answer comes after all have been read as far as they are.
    for (let round = 0; round < 20; round++) {
      await until("it is healthy", 10_000, () => isHealthy(port))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const grown = program.memory() - before
    t.comment(`${size} bytes to ${path}: ${grown.toFixed(0)} MB`)
    t.ok(grown < mostGrowth, `${path}: ${grown.toFixed(0)} MB`)
    const sent = await member.post("/messages", { type: "channel", to: "general", topic: "t", content: "still here" })
    t.equal(sent.status, 200, "a member's message goes through meanwhile")
    for (const connection of connections) connection.destroy()
    await Promise.all(connections.map(({ closed }) => closed))
  }
})
