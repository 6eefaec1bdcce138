/** A register, unpacked by a client that takes gzip, is byte for byte what other clients are sent. */
import { request } from "node:http"
import { gunzipSync } from "node:zlib"
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import type { Account } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { withServer } from "../../../kit/with-server.ts"

const channels = Array.from({ length: 40 }, (_, n) => ({
  name: `channel ${n}`,
  users: n % 3 === 0 ? (["hamlet"] as const) : (["cordelia", "iago"] as const),
  isPrivate: n % 10 === 1,
}))

const register = (port: number, { email, key }: Account, accept: string) =>
  new Promise<{ readonly coding: string | undefined; readonly body: Buffer }>((resolve, reject) => {
    const headers = {
      Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`,
      "Accept-Encoding": accept,
      "Content-Type": "application/x-www-form-urlencoded",
    }
    request({ port, path: "/api/v1/register", method: "POST", headers }, (answer) => {
      const parts: Array<Buffer> = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.on("error", reject)
      answer.on("end", () => resolve({ coding: answer.headers["content-encoding"], body: Buffer.concat(parts) }))
    })
      .on("error", reject)
      .end("include_subscribers=true")
  })

const withoutQueue = (body: Buffer): string => body.toString().replace(/"queue_id":"[^"]*"/, '"queue_id":"..."')

t.test("a compressed register is the same register", (t) =>
  withServer(t, { channels }, async (server) => {
    const robot = {
      email: "robot@test.example",
      fullName: "Robot",
      role: roles.member,
      isBot: true,
      passwordHash: null,
    }
    await server.run(setUpUser(server.realmId, robot))
    for (const name of ["hamlet", "cordelia", "iago", "polonius"] as const) {
      const { account } = server.as(name)
      const plain = await register(server.port, account, "identity")
      t.equal(plain.coding, undefined)
      for (let round = 0; round < 2; round++) {
        const compressed = await register(server.port, account, "gzip")
        t.equal(compressed.coding, "gzip")
        t.ok(compressed.body.length < plain.body.length)
        t.equal(withoutQueue(gunzipSync(compressed.body)), withoutQueue(plain.body), name)
      }
    }
    const { key } = server.accountOf(robot.email)
    t.ok((await register(server.port, server.as("iago").account, "gzip")).body.includes(key), "keys are not compressed")
    await server.as("hamlet").must.post("/users/me/subscriptions", { subscriptions: [{ name: "channel 2" }] })
    const after = gunzipSync((await register(server.port, server.as("iago").account, "gzip")).body)
    const again = await server.as("iago").must.post("/register", { include_subscribers: true })
    const listed = recordsIn(again["subscriptions"]).find(({ name }) => name === "channel 2")
    t.match(listed, { subscriber_count: 3 })
    t.ok(after.includes(JSON.stringify(listed).slice(1, -1)), "a change is in the next one")
  }),
)
