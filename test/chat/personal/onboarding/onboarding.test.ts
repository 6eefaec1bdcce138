/** POST /users/me/onboarding_steps: what is left to tell, for oneself alone, over restarts, under concurrent requests. */
import t from "tap"
import { pluck } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/users/me/onboarding_steps"
const told = (server: TestServer, who: Name, onboarding_step: string) =>
  server.as(who).must.post(path, { onboarding_step })
const all = [
  "visibility_policy_banner",
  "intro_inbox_view_modal",
  "intro_recent_view_modal",
  "first_stream_created_banner",
  "jump_to_conversation_banner",
  "non_interleaved_view_messages_fading",
  "interleaved_view_messages_fading",
  "intro_resolve_topic",
]
const without = (...names: ReadonlyArray<string>) =>
  all.filter((each) => !names.includes(each)).map((name) => ({ type: "one_time_notice", name }))
const stepsOf = async (server: TestServer, who: Name): Promise<unknown> =>
  (await server.queue(who, { fetch_event_types: ["onboarding_steps"] })).state["onboarding_steps"]

t.test("what a user has been told of is told once", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("hamlet")
    t.same(queue.state["onboarding_steps"], without())
    t.equal(queue.state["navigation_tour_video_url"], null)
    const others = await server.queue("cordelia")
    await told(server, "hamlet", "intro_inbox_view_modal")
    await told(server, "hamlet", "intro_inbox_view_modal")
    await told(server, "hamlet", "intro_resolve_topic")
    const left = without("intro_inbox_view_modal", "intro_resolve_topic")
    t.same(
      (await queue.rest()).map(({ type, onboarding_steps }) => [type, onboarding_steps]),
      [without("intro_inbox_view_modal"), left].map((steps) => ["onboarding_steps", steps]),
      "again is no event",
    )
    t.same(await others.rest(), [])
    await server.restart()
    t.same(await stepsOf(server, "hamlet"), left)
    t.same(await stepsOf(server, "cordelia"), without())
  }),
)

t.test("of many at once none is lost", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("polonius")
    await Promise.all([...all, ...all].map((name) => told(server, "polonius", name)))
    t.same(await stepsOf(server, "polonius"), [])
    const lengths = (await queue.rest()).map(({ onboarding_steps }) => pluck(onboarding_steps, "name").length)
    t.same(lengths, [7, 6, 5, 4, 3, 2, 1, 0])
  }),
)

t.test("refusals", (t) =>
  withServer(t, {}, async (server) => {
    const lines = ["intro_streams", "", "constructor"].map((onboarding_step) => ({
      when: `the step "${onboarding_step}"`,
      fields: { onboarding_step },
      msg: `Unknown onboarding_step: ${onboarding_step}`,
    }))
    await refuses(t, lines, (fields) => server.as("hamlet").post(path, fields))
  }),
)

t.test("I13: onboarding settles", (t) =>
  withServer(t, {}, async (server) => {
    const seen = await settles(t, viewsOf(server, undefined, ["hamlet", "polonius"]), "onboarding", async () => {
      await told(server, "hamlet", "intro_resolve_topic")
      await told(server, "polonius", "intro_recent_view_modal")
      await told(server, "hamlet", "intro_recent_view_modal")
    })
    t.ok(seen.has("onboarding_steps"))
  }),
)
