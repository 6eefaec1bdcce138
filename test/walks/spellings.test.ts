/** A name that only gets another spelling, in capitals or without, is told like any other, and register has the new one. */
import t from "tap"
import { channelId } from "../kit/channel-scene.ts"
import type { Fields } from "../kit/client.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["desdemona"] }] as const
const spellings = ["straße 8", "STRASSE 9", "Чай", "ЧАЙ", "οδος", "ΟΔΟΣ", "Crew", "cREW"]

interface Noun {
  readonly name: string
  /** Makes one of this name; answers what renames it. */
  readonly make: (server: TestServer, first: string) => Promise<(name: string) => Promise<unknown>>
  readonly types: ReadonlyArray<string>
}

const nouns: ReadonlyArray<Noun> = [
  {
    name: "a channel",
    types: ["stream", "subscription"],
    make: async (server) => {
      const path = `/streams/${channelId(server, "lobby")}`
      return (new_name) => server.as("desdemona").must.patch(path, { new_name })
    },
  },
  {
    name: "a user group",
    types: ["user_group", "realm_user_groups"],
    make: async (server, name) => {
      const owner = server.as("desdemona")
      const { group_id } = await owner.must.post("/user_groups/create", { name, description: "", members: [] })
      return (name) => owner.must.patch(`/user_groups/${String(group_id)}`, { name })
    },
  },
  {
    name: "a channel folder",
    types: ["channel_folder", "channel_folders"],
    make: async (server, name) => {
      const owner = server.as("desdemona")
      const { channel_folder_id } = await owner.must.post("/channel_folders/create", { name })
      return (name) => owner.must.patch(`/channel_folders/${String(channel_folder_id)}`, { name })
    },
  },
  {
    name: "a snippet",
    types: ["saved_snippets"],
    make: async (server, title) => {
      const owner = server.as("desdemona")
      const { saved_snippet_id } = await owner.must.post("/saved_snippets", { title, content: "c" })
      return (title) => owner.must.patch(`/saved_snippets/${String(saved_snippet_id)}`, { title })
    },
  },
  {
    name: "the organization",
    types: ["realm"],
    make: async (server) => (name) => server.as("desdemona").must.patch("/realm", { name }),
  },
  {
    name: "a topic that is followed",
    types: ["user_topic"],
    make: async (server, topic) => {
      const owner = server.as("desdemona")
      const id = await owner.send("lobby", "m", { topic })
      const stream_id = channelId(server, "lobby")
      await owner.must.post("/user_topics", { stream_id, topic, visibility_policy: 3 })
      return (topic) => owner.must.patch(`/messages/${id}`, { topic, propagate_mode: "change_all" })
    },
  },
]

const has = (value: Fields | ReadonlyArray<unknown>, name: string): boolean =>
  JSON.stringify(value).includes(JSON.stringify(name))

for (const { name: noun, make, types } of nouns) {
  t.test(`${noun} gets another spelling`, (t) =>
    withServer(t, { channels }, async (server) => {
      const rename = await make(server, "crew")
      const queue = await server.queue("desdemona", { event_types: types })
      let before = ""
      for (const spelling of spellings) {
        await rename(spelling)
        t.ok(has(await queue.rest(), spelling), `${spelling} is told`)
        const { state } = await server.queue("desdemona", { fetch_event_types: types })
        t.ok(has(state, spelling), `${spelling} is at register`)
        t.notOk(before !== "" && has(state, before), `${before} is not there any more`)
        before = spelling
      }
    }),
  )
}
