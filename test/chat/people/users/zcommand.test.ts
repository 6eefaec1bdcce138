/** POST /zcommand: what each command changes, its events, what it says, what is refused. */
import t from "tap"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/zcommand"
const able = { client_capabilities: { user_settings_object: true } }

t.test("commands change settings, and say so", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("hamlet", able)
    const older = await server.queue("hamlet")
    const say = async (command: string) => (await server.as("hamlet").must.post(path, { command }))["msg"]
    t.equal(await say("/ping"), "")
    t.equal(await say("/dark"), "Changed to dark theme! To revert dark theme, type `/light`.")
    t.equal(await say("/night"), "You are still in dark theme.")
    t.equal(await say("/day"), "Changed to light theme! To revert light theme, type `/dark`.")
    t.equal(await say("/fluid-width"), "Changed to fluid width! To revert fluid width, type `/fixed-width`.")
    t.equal(await say("/fluid-width"), "You are still in fluid width.")
    t.equal(await say("/fixed-width"), "Changed to fixed width! To revert fixed width, type `/fluid-width`.")
    const changes = [
      ["color_scheme", 2],
      ["color_scheme", 3],
      ["fluid_layout_width", true],
      ["fluid_layout_width", false],
    ]
    t.same(
      (await queue.rest()).map(({ type, property, value }) => [type, property, value]),
      changes.map((each) => ["user_settings", ...each]),
    )
    t.match(
      (await older.rest()).filter(({ type }) => type === "update_display_settings"),
      changes.map(([setting_name, setting]) => ({ setting_name, setting })),
    )
    await server.restart()
    t.match(Object((await server.queue("hamlet", able)).state["user_settings"]), {
      color_scheme: 3,
      fluid_layout_width: false,
    })
  }),
)

t.test("refusals", (t) =>
  withServer(t, {}, async (server) => {
    const lines = [
      { when: "no slash", fields: { command: "ping" }, msg: "There should be a leading slash in the zcommand." },
      { when: "nothing", fields: { command: "" }, msg: "There should be a leading slash in the zcommand." },
      { when: "an unknown one", fields: { command: "/frob" }, msg: "No such command: frob" },
      { when: "no word", fields: { command: "/" }, msg: "No such command: " },
      { when: "more than a word", fields: { command: "/dark now" }, msg: "No such command: dark now" },
    ]
    await refuses(t, lines, (fields) => server.as("hamlet").post(path, fields))
  }),
)

t.test("I13: commands settle", (t) =>
  withServer(t, {}, async (server) => {
    const seen = await settles(t, viewsOf(server, undefined, ["hamlet"]), "commands", async () => {
      for (const command of ["/dark", "/fluid-width", "/light"]) await server.as("hamlet").must.post(path, { command })
    })
    t.ok(seen.has("user_settings/update"))
  }),
)
