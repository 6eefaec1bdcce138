/** Two organizations in one database: the Host header chooses one, and nothing of the other is reachable. */
import * as Effect from "effect/Effect"
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { Realms } from "../../../../src/chat/ground/realm/realms.ts"
import { apiKey } from "../../../../src/chat/ground/sign-in/sign-in.ts"
import { createRealm } from "../../../../src/chat/server/setup/realm-create.ts"
import { setUpChannel, setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { Database } from "../../../../src/db/database.ts"
import { RealmId, type UserId } from "../../../../src/ids.ts"
import { type Account, type Fields, formOf } from "../../../kit/client.ts"
import { ask, bodyOf } from "../../../kit/raw-http.ts"
import { pluck } from "../../../kit/records.ts"
import { frameOf, openSocket, refusalOf } from "../../../kit/sockets.ts"
import { until } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const first = "test.example"
const second = "second.example"
const secondId = RealmId(2)

/**
 * People of both, under the same addresses: Desdemona with the same id, the others with one that is somebody else's.
 */
const people = ["desdemona", "hamlet", "cordelia"] as const

const basic = ({ email, key }: Account) => ({
  Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`,
})

interface Asked {
  readonly host: string
  readonly account?: Account
}

/** A request to one of the organizations; the answer's status and body. */
const askAt = async (
  server: TestServer,
  { host, account }: Asked,
  method: string,
  path: string,
  fields: Fields = {},
) => {
  const answer = await ask(server.port, {
    method: "POST",
    path: `/api/v1${path}`,
    headers: {
      Host: host,
      "Content-Type": "application/x-www-form-urlencoded",
      ...(account === undefined ? {} : basic(account)),
    },
    body: `${formOf({ ...fields, method })}`,
  })
  return { status: answer?.status ?? 0, body: bodyOf(answer) }
}

const addSecond = Effect.gen(function* () {
  const database = yield* Database
  const realms = yield* Realms
  yield* createRealm(database, { id: secondId, host: second, settings: { name: "Second" } }, Date.UTC(2026, 0, 1))
  yield* realms.refresh()
  const ids: Array<UserId> = []
  for (const name of people)
    ids.push(
      yield* setUpUser(secondId, {
        email: `${name}@test.example`,
        fullName: `second ${name}`,
        role: name === "desdemona" ? roles.owner : roles.member,
        isBot: false,
        passwordHash: null,
      }),
    )
  const lobby = { description: "", isPrivate: false, isWebPublic: false, isDefault: false, historyShared: true }
  yield* setUpChannel(secondId, { ...lobby, name: "lobby" }, ids)
})

/** A person of the second organization. */
const accountIn = (server: TestServer, name: (typeof people)[number]): Promise<Account> =>
  server.run(
    Effect.gen(function* () {
      const { realm } = yield* (yield* Realms).get(secondId)
      const email = `${name}@test.example`
      const user = realm.findUserByEmail(email)
      if (user === undefined) throw new Error(`${name} is not there`)
      return { email, key: apiKey(server.config.secret, secondId, user) }
    }),
  )

t.test("organizations", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "cordelia"] }] }, async (server) => {
    await t.test("the only organization answers at every host", async (t) => {
      for (const host of [first, "TEST.example:9991", "localhost", "10.0.0.1", "[::1]:80", "who.knows"]) {
        t.match(
          await askAt(server, { host }, "GET", "/server_settings"),
          { status: 200, body: { realm_name: "Test" } },
          host,
        )
        const account = server.as("hamlet").account
        t.match(await askAt(server, { host, account }, "GET", "/users/me"), { status: 200 }, host)
      }
      t.match(await askAt(server, { host: "no host/at all" }, "GET", "/server_settings"), {
        status: 400,
        body: { code: "BAD_REQUEST" },
      })
    })

    const one = { host: first, account: server.as("hamlet").account }
    await server.run(addSecond)
    const two = { host: second, account: await accountIn(server, "hamlet") }

    await t.test("an organization is found by its host, regardless of port and case", async (t) => {
      const names: ReadonlyArray<readonly [string, string]> = [
        [first, "Test"],
        [`${first}:8080`, "Test"],
        [second, "Second"],
        ["SECOND.Example:9991", "Second"],
      ]
      for (const [host, realm_name] of names)
        t.match(await askAt(server, { host }, "GET", "/server_settings"), {
          body: { realm_name, realm_url: `http://${host.toLowerCase()}` },
        })
      t.notOk("realm_name" in (await askAt(server, { host: "other.example" }, "GET", "/server_settings")).body)
      const unknown = { status: 404, body: { result: "error", code: "NONEXISTENT_SUBDOMAIN" } }
      for (const host of ["other.example", "example", `x.${first}`, "127.0.0.1"]) {
        t.match(await askAt(server, { ...one, host }, "GET", "/users/me"), unknown, host)
        t.match(
          await askAt(server, { host }, "POST", "/fetch_api_key", { username: "a@b.c", password: "x" }),
          unknown,
          host,
        )
      }
      t.match(
        await askAt(server, { host: "other.example" }, "GET", "/users/me"),
        { status: 401 },
        "who says nothing is told nothing",
      )
    })

    await t.test("an API key is valid in one organization only", async (t) => {
      const [own, other] = [server.as("desdemona").account, await accountIn(server, "desdemona")]
      t.not(own.key, other.key, "the same address with the same id has another key")
      for (const [host, account] of [
        [first, two.account],
        [second, one.account],
        [first, other],
        [second, own],
      ] as const)
        t.match(await askAt(server, { host, account }, "GET", "/users/me"), {
          status: 401,
          body: { code: "UNAUTHORIZED", msg: "Invalid API key" },
        })
      t.match(await askAt(server, two, "GET", "/users/me"), { body: { full_name: "second hamlet", user_id: 2 } })
      t.match(await askAt(server, one, "GET", "/users/me"), {
        body: { full_name: "hamlet", user_id: server.idOf("hamlet") },
      })
      t.equal(pluck((await askAt(server, two, "GET", "/users")).body["members"], "user_id").length, people.length)
    })

    const queues = await Promise.all(
      [one, two].map((asked) =>
        askAt(server, asked, "POST", "/register", {
          all_public_streams: true,
          event_types: ["message", "typing", "realm_user", "stream"],
        }),
      ),
    )
    const poll = async (asked: Asked, queue: Fields | undefined) =>
      askAt(server, asked, "GET", "/events", {
        queue_id: queue?.["queue_id"],
        last_event_id: queue?.["last_event_id"],
        dont_block: true,
      })
    const [inOne, inTwo] = queues.map(({ body }) => body)

    await t.test("messages and events do not cross over, though their ids are equal", async (t) => {
      await poll(one, inOne)
      await poll(two, inTwo)
      const echo = { queue_id: "q", local_id: "1" }
      const send = async (asked: Asked, content: string) =>
        Number(
          (
            await askAt(server, asked, "POST", "/messages", {
              type: "channel",
              to: "lobby",
              topic: "t",
              content,
              ...echo,
            })
          ).body["id"],
        )
      /** Until the second log is as long as the first, so that both have a message of the same id. */
      const idOne = await send(one, "of the first")
      let idTwo = await send(two, "of the second")
      for (let each = 2; idTwo < idOne; each++) {
        const { body } = await askAt(server, two, "POST", "/messages", {
          type: "direct",
          to: [2],
          content: `note ${each}`,
        })
        idTwo = Number(body["id"])
      }
      t.equal(idTwo, idOne, "the same id in both")
      t.match(await askAt(server, one, "GET", `/messages/${idOne}`), { body: { raw_content: "of the first" } })
      t.match(await askAt(server, two, "GET", `/messages/${idOne}`), { body: { raw_content: /^(note|of the second)/ } })
      const page = {
        anchor: "newest",
        num_before: 100,
        num_after: 0,
        narrow: [["channels", "public"]],
        apply_markdown: false,
      }
      for (const [asked, content] of [
        [one, "of the first"],
        [two, "of the second"],
      ] as const)
        t.same(pluck((await askAt(server, asked, "GET", "/messages", page)).body["messages"], "content"), [content])
      await askAt(server, one, "POST", "/typing", { op: "start", to: [server.idOf("cordelia")] })
      const heard = async (asked: Asked, queue: Fields | undefined) =>
        new Set(pluck((await poll(asked, queue)).body["events"], "type"))
      t.same(await heard(one, inOne), new Set(["message", "stream", "typing"]))
      t.same(await heard(two, inTwo), new Set(["message", "stream"]))
    })

    await t.test("a queue is found in its organization only", async (t) => {
      const bad = { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } }
      t.match(await poll(two, inOne), bad)
      t.match(await poll(one, inTwo), bad)
      const open = ({ host, account }: typeof one, queue: Fields | undefined) => {
        const query = { queue_id: String(queue?.["queue_id"]), last_event_id: String(queue?.["last_event_id"]) }
        return openSocket({ port: server.port, query, account, headers: { Host: host } })
      }
      t.match(await refusalOf(open({ ...one, host: second }, inOne)), { status: 401 })
      t.match(await refusalOf(open(two, inOne)), { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } })
      const socket = await open(two, inTwo)
      t.match(await frameOf(socket), [{ type: "message" }], "it opens where it belongs")
      socket.destroy()
    })

    await t.test("users and channels of one organization are independent of the other", async (t) => {
      const owner = { host: second, account: await accountIn(server, "desdemona") }
      const fields = { email: "new@test.example", password: "a long password", full_name: "New" }
      const made = await askAt(server, owner, "POST", "/users", fields)
      t.match(made, { status: 200, body: { user_id: people.length + 1 } })
      const administrator = { host: first, account: server.as("iago").account }
      t.match(
        await askAt(server, administrator, "POST", "/users", fields),
        { status: 200 },
        "the same address in the other",
      )
      const key = async (host: string) =>
        (
          await askAt(server, { host }, "POST", "/fetch_api_key", {
            username: "new@test.example",
            password: "a long password",
          })
        ).body["api_key"]
      t.not(await key(first), await key(second))
      await askAt(server, owner, "POST", "/users/me/subscriptions", { subscriptions: [{ name: "only here" }] })
      t.match(await askAt(server, one, "GET", "/get_stream_id", { stream: "only here" }), { status: 400 })
      // Cordelia has the id 3 in the second organization, as Shiva has in the first.
      t.equal((await askAt(server, owner, "DELETE", "/users/3")).status, 200)
      t.match(await askAt(server, { host: second, account: await accountIn(server, "cordelia") }, "GET", "/users/me"), {
        status: 401,
      })
      for (const name of ["shiva", "cordelia"] as const)
        t.match(
          await askAt(server, { host: first, account: server.as(name).account }, "GET", "/users/me"),
          { status: 200 },
          `${name} of the first goes on`,
        )
    })

    await t.test("both organizations go on after a restart", async (t) => {
      await server.restart()
      await until("both logs are read", 10_000, async () => (await poll(two, inTwo)).status === 200)
      for (const [asked, queue] of [
        [one, inOne],
        [two, inTwo],
      ] as const) {
        await askAt(server, asked, "POST", "/messages", {
          type: "channel",
          to: "lobby",
          topic: "t",
          content: `again at ${asked.host}`,
        })
        const events = (await poll(asked, queue)).body["events"]
        t.match(Array.isArray(events) ? events.at(-1) : null, {
          type: "message",
          message: { content: `again at ${asked.host}` },
        })
      }
    })
  }),
)
