/** Where nothing outside says what holds: rows of the section Choices of docs/changelog-by-level.md. */
import { pluck } from "../../kit/records.ts"
import { type Row, refusal, type Scene } from "../../kit/rows.ts"

let bots = 0
const makeBot = async ({ server }: Scene, by: "iago" | "hamlet") => {
  const short_name = `chosen${++bots}`
  const made = await server.as(by).must.post("/bots", { full_name: short_name, short_name })
  return { id: Number(made["user_id"]), as: server.asEmail(`${short_name}-bot@${server.realm.realm.host}`), made }
}

export const choices: ReadonlyArray<Row> = [
  {
    row: "a bot has no role above its owner's",
    ask: async (scene) => {
      const { id } = await makeBot(scene, "hamlet")
      return scene.server.as("iago").patch(`/bots/${id}`, { role: 300 })
    },
    want: refusal("A bot cannot have a higher role than its owner."),
  },
  {
    row: "a bot of another owner has another key",
    ask: async (scene) => {
      const { id, made } = await makeBot(scene, "hamlet")
      await scene.server.as("hamlet").must.patch(`/bots/${id}`, { bot_owner_id: scene.server.idOf("iago") })
      const { api_key } = await scene.server.as("iago").must.get(`/bots/${id}/api_key`)
      return api_key === made["api_key"]
    },
    want: false,
  },
  {
    row: "bots invite nobody",
    ask: async (scene) => (await makeBot(scene, "iago")).as.post("/invites/multiuse"),
    want: refusal("This endpoint does not accept bot requests."),
  },
  {
    row: "a word of a closed list is taken in quotes",
    ask: ({ server }) =>
      server.as("iago").must.post("/channels/create", { name: "quoted", subscribers: [], topics_policy: '"inherit"' }),
    want: { id: Number },
  },
  {
    row: "an operand of is that register does not know leaves nothing out",
    ask: async ({ server }) => {
      const queue = await server.queue("hamlet", { event_types: ["message"], narrow: [["is", "odd"]] })
      const id = await server.as("hamlet").send("lobby", "seen")
      return (await queue.take(1)).map(({ message }) => Object(message).id === id)
    },
    want: [true],
  },
  {
    row: "is:followed is refused at register",
    ask: ({ server }) => server.as("hamlet").post("/register", { narrow: [["is", "followed"]] }),
    want: refusal("Operator is not supported."),
  },
  {
    row: "a time with a fraction is taken",
    ask: async ({ server }) => {
      const draft = { type: "", to: [], topic: "", content: "c", timestamp: 1_595_479_019.5 }
      await server.as("hamlet").must.post("/drafts", { drafts: [draft] })
      return pluck((await server.as("hamlet").must.get("/drafts"))["drafts"], "timestamp")
    },
    want: [1_595_479_019],
  },
  {
    row: "a link to become an owner is known to owners",
    ask: async ({ server }) => {
      await server.as("desdemona").must.post("/invites/multiuse", { invite_as: 100 })
      const { invites } = await server.as("iago").must.get("/invites")
      return pluck(invites, "invited_as").includes(100)
    },
    want: false,
  },
]
