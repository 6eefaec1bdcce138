/** Channel folders: administrators make, change, order and archive them; everybody reads them. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const admins = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" }

const create = async (server: TestServer, name: string, description = ""): Promise<number> =>
  Number((await server.as("iago").must.post("/channel_folders/create", { name, description }))["channel_folder_id"])

const listed = async (server: TestServer, fields: Fields = {}) =>
  recordsIn((await server.as("polonius").must.get("/channel_folders", fields))["channel_folders"])

/** A client's folders after one event. */
const moved = (folders: ReadonlyArray<Fields>, event: Fields): ReadonlyArray<Fields> => {
  if (event["op"] === "add") return [...folders, ...recordsIn([event["channel_folder"]])]
  if (event["op"] === "update") {
    const [data] = recordsIn([event["data"]])
    return folders.map((each) => (each["id"] === event["channel_folder_id"] ? { ...each, ...data } : each))
  }
  const order: ReadonlyArray<unknown> = Array.isArray(event["order"]) ? event["order"] : []
  return order.flatMap((id, n) => folders.filter((each) => each["id"] === id).map((each) => ({ ...each, order: n })))
}

t.test("channel folders", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const queue = await server.queue("polonius")
    const sales = await create(server, " Sales ", "All that\nis *sold*")
    const support = await create(server, "Support")
    const path = `/channel_folders/${sales}`

    await t.test("a new folder is the last one, and everybody reads it", async (t) => {
      t.match(await listed(server), [
        {
          id: sales,
          name: "Sales",
          description: "All that is *sold*",
          rendered_description: /^<p>All that is .*<\/p>$/,
          order: 0,
          date_created: Math.floor(server.clock.now() / 1000),
          creator_id: server.idOf("iago"),
          is_archived: false,
        },
        { id: support, name: "Support", rendered_description: "", order: 1 },
      ])
    })

    await t.test("only administrators may change folders", async (t) => {
      for (const name of ["polonius", "hamlet", "shiva"] as const) {
        const person = server.as(name)
        await refuses(t, [{ when: `${name} makes one`, fields: { name: "Mine" }, ...admins }], (fields) =>
          person.post("/channel_folders/create", fields),
        )
        await refuses(t, [{ when: `${name} orders them`, fields: { order: [sales] }, ...admins }], (fields) =>
          person.patch("/channel_folders", fields),
        )
        await refuses(t, [{ when: `${name} renames one`, fields: { name: "Mine" }, ...admins }], (fields) =>
          person.patch(path, fields),
        )
      }
    })

    const names: ReadonlyArray<Refusal> = [
      { when: "a name that is taken", fields: { name: "SUPPORT" }, msg: "Channel folder 'SUPPORT' already exists" },
      { when: "no name", fields: { name: " " }, msg: "Channel folder name can't be empty." },
      { when: "a name that nobody sees", fields: { name: "\u200B\u200D" }, msg: "Channel folder name can't be empty." },
      { when: "a long name", fields: { name: "n".repeat(61) }, msg: /too long \(limit: 60 characters\)/ },
      { when: "a bad name", fields: { name: "ab\u0007" }, msg: /^Invalid character .* at position 3\.$/ },
      {
        when: "a long description",
        fields: { name: "New", description: "d".repeat(1025) },
        msg: /^description is too long \(limit: 1024 characters\)$/,
      },
    ]

    await t.test("names are unique and well-formed", async (t) => {
      await refuses(t, names, (fields) => server.as("iago").post("/channel_folders/create", fields))
      await refuses(t, names, (fields) => server.as("iago").patch(path, fields))
      const unknown = { when: "an unknown folder", fields: { name: "New" }, msg: "Invalid channel folder ID" }
      await refuses(t, [unknown], (fields) => server.as("iago").patch("/channel_folders/4711", fields))
    })

    await t.test("a new order names every folder", async (t) => {
      const orders = [[], [sales], [sales, sales], [sales, support, 4711], [sales, support, support]]
      const table = orders.map((order) => ({
        when: JSON.stringify(order),
        fields: { order },
        msg: /must name every channel folder/,
      }))
      await refuses(t, table, (fields) => server.as("iago").patch("/channel_folders", fields))
      await server.as("iago").must.patch("/channel_folders", { order: [support, sales] })
      t.same(pluck(await listed(server), "name"), ["Support", "Sales"])
    })

    await t.test("a folder with channels cannot be archived; an archived one keeps its name", async (t) => {
      const lobby = server.realm.realm.findChannelByName("lobby")?.id
      await server.as("iago").must.patch(`/streams/${lobby}`, { folder_id: sales })
      const used = { when: "used", fields: { is_archived: true }, msg: /^You need to remove all the channels/ }
      await refuses(t, [used], (fields) => server.as("iago").patch(path, fields))
      await server.as("iago").must.patch(`/streams/${lobby}`, { folder_id: null })
      await server.as("iago").must.patch(path, { is_archived: true })
      t.same(pluck(await listed(server), "name"), ["Support"])
      t.same(pluck(await listed(server, { include_archived: true }), "is_archived"), [false, true])
      const taken = { when: "an archived folder's name", fields: { name: "sales" }, msg: /already exists/ }
      await refuses(t, [taken], (fields) => server.as("iago").post("/channel_folders/create", fields))
      await server.as("iago").must.patch(path, { name: "SALES", description: "Sold", is_archived: false })
    })

    await t.test("a request that changes nothing makes no event", async (t) => {
      const before = server.realm.realm.position
      await server.as("iago").must.patch(path, { name: "SALES", description: "Sold", is_archived: false })
      await server.as("iago").must.patch(path)
      await server.as("iago").must.patch("/channel_folders", { order: [support, sales] })
      t.equal(server.realm.realm.position, before)
    })

    await t.test("register with its events equals the list, after a restart too", async (t) => {
      const all = await listed(server, { include_archived: true })
      const events = (await queue.rest()).filter(({ type }) => type === "channel_folder")
      t.same(events.reduce(moved, recordsIn(queue.state["channel_folders"])), all)
      t.same(new Set(events.map(({ op }) => op)), new Set(["add", "update", "reorder"]))
      t.same((await server.queue("hamlet")).state["channel_folders"], all)
      await server.restart()
      t.same(await listed(server, { include_archived: true }), all)
    })
  }),
)
