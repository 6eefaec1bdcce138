/**
 * Conventions of the API, row by row: URLs and methods, envelopes, errors, signing in, types of parameters, rate
 * limits, times. Left out are the rows about sessions of browsers, which this server does not have: CSRF_FAILED, the
 * session half of USER_DEACTIVATED and REALM_DEACTIVATED; UNAUTHENTICATED_USER, which is never sent; and "Access denied"
 * of internal endpoints. INTERNAL_SERVER_ERROR and SERVICE_UNAVAILABLE are tested in http/api/api.test.ts and events/writer.test.ts,
 * rows that need several organizations (NONEXISTENT_SUBDOMAIN, another subdomain) in chat/ground/realm/realms.test.ts.
 */
import t from "tap"
import { defaultLimits } from "../../src/config/config.ts"
import { absentMailServer } from "../kit/absent-mail-server.ts"
import { asking, type Heard, type Row, refusal, sceneOf, walk } from "../kit/rows.ts"
import { rowsOfRooms } from "../kit/walk-rows-of-features.ts"
import { withServer } from "../kit/with-server.ts"
import { errors } from "./conventions/errors.ts"
import { requests, successes } from "./conventions/requests.ts"
import { keys, password, signingIn } from "./conventions/signing-in.ts"
import { times, types } from "./conventions/values.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "den", users: ["cordelia"], isPrivate: true },
] as const

const success = { status: 200, body: { result: "success", msg: "" } }

const sections: ReadonlyArray<readonly [string, ReadonlyArray<Row>]> = [
  ["URLs, methods, bodies", requests],
  ["success", successes],
  ["errors", errors],
  ["signing in", signingIn],
  ["types of parameters", types],
  ["times, ids and texts", times],
]
const ofRooms = (section: string): ReadonlyArray<Row> =>
  rowsOfRooms.flatMap(({ conventions }) =>
    Object.entries(conventions).flatMap(([name, rows]) => (section === name ? rows : [])),
  )
for (const [section, rows] of sections) {
  const all = [...rows, ...ofRooms(section)]
  t.test(`conventions: ${section}`, (t) =>
    withServer(t, { channels, config: { mail: absentMailServer } }, (server) => walk(t, all, sceneOf(server))),
  )
}

t.test("conventions: the answers to right and wrong passwords", (t) =>
  withServer(t, { channels }, async (server) => {
    const scene = sceneOf(server)
    await server.as("iago").must.post("/users", { email: "new@test.example", password, full_name: "New" })
    await walk(t, keys, scene)
  }),
)

const limits = {
  ...defaultLimits,
  userRequestsPerMinute: 5,
  pollsPerMinute: 8,
  addressRequestsPerMinute: 4,
  signInFailures: 2,
}
const limited = {
  ...refusal(/./, "RATE_LIMIT_HIT", 429, { "retry-after": Number }),
  headers: { "retry-after": /^\d+$/, "x-ratelimit-remaining": "0" },
}
const repeat = async (times: number, ask: () => Promise<Heard>): Promise<ReadonlyArray<Heard>> => {
  const answers: Array<Heard> = []
  for (let n = 0; n < times; n++) answers.push(await ask())
  return answers
}

t.test("conventions: rate limits", (t) =>
  withServer(t, { channels, limits, config: { rateLimit: true } }, async (server) => {
    const ask = asking(server)
    const askOwn = () => ask({ path: "/users/me" })
    const reset = String(server.clock.now() / 1000 + 60)
    const own = [await askOwn()]
    server.clock.advance(20_000)
    own.push(...(await repeat(5, askOwn)))
    for (const [n, answer] of own.slice(0, 5).entries()) {
      const headers = {
        "x-ratelimit-limit": "5",
        "x-ratelimit-remaining": String(4 - n),
        "x-ratelimit-reset": reset,
      }
      t.match(answer, { ...success, headers }, "a minute from the first request, in Unix seconds")
    }
    t.match(
      own[5],
      { ...limited, body: { ...limited.body, "retry-after": 40 } },
      "the request beyond the limit is refused",
    )
    t.match(await ask({ path: "/users/me", as: "cordelia" }), success, "another user is not limited")

    const { queueId, lastId } = await server.queue("cordelia")
    const query = { queue_id: queueId, last_event_id: lastId, dont_block: true }
    const poll = () => ask({ path: "/events", as: "cordelia", query })
    const polls = await repeat(8, poll)
    t.ok(
      polls.every(({ status }) => status === 200),
      "polls are counted apart",
    )
    t.match(await poll(), limited)
    t.match(await ask({ path: "/users/me", as: "cordelia" }), success)

    const visit = () => ask({ path: "/server_settings", as: null })
    const visits = await repeat(5, visit)
    t.ok(visits.slice(0, 4).every(({ status }) => status === 200))
    t.match(visits[4], limited, "visitors from one address are limited")

    server.clock.advance(39_999)
    t.match(await askOwn(), limited, "still limited almost a minute after the first request")
    server.clock.advance(1)
    t.match(await askOwn(), success, "a minute after the first request the user is admitted again")
    server.clock.advance(19_999)
    t.match([await poll(), await visit()], [limited, limited], "the windows of polls and visits began 20 seconds later")
    server.clock.advance(1)
    t.match(await poll(), success, "the queue is still there")
    t.match(await visit(), success)

    const guess = () =>
      ask({
        method: "POST",
        path: "/fetch_api_key",
        as: null,
        form: { username: "hamlet@test.example", password: "x" },
      })
    const guesses = await repeat(3, guess)
    t.match(guesses, [{ status: 401 }, { status: 401 }, refusal(/./, "RATE_LIMIT_HIT", 429)], "wrong passwords")
    server.clock.advance(30 * 60_000 - 1)
    t.match(
      await guess(),
      refusal(/./, "RATE_LIMIT_HIT", 429),
      "still limited almost half an hour after the first wrong password",
    )
    server.clock.advance(1)
    t.match(await guess(), { status: 401 }, "admitted half an hour after the first wrong password")
  }),
)

t.test("with rate limits off, answers have no rate limit headers", (t) =>
  withServer(t, { channels }, async (server) => {
    const { headers } = await asking(server)({ path: "/users/me" })
    t.same(
      Object.keys(headers).filter((name) => name.startsWith("x-ratelimit")),
      [],
    )
  }),
)
