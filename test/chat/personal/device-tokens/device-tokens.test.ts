/** Tokens of devices (spec 17, contract 2.17): kept per user, kind and token, and gone with the account or its key. */
import { randomBytes } from "node:crypto"
import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { type Fields, personOf } from "../../../kit/client.ts"
import { refuses } from "../../../kit/refusals.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const apns = "/users/me/apns_device_token"
const android = "/users/me/android_gcm_reg_id"
const appid = "org.example.Chat-1"
const hex = "c0ffee".repeat(10)

const kept = (server: TestServer, ...who: ReadonlyArray<Name>) =>
  server.rows(
    `select kind, token, app_id from device_token where user_id = any(array(select jsonb_array_elements_text($1::text::jsonb)::integer))
      order by user_id, registered_at, kind, token`,
    [JSON.stringify(who.map(server.idOf))],
  )

t.test("tokens of devices", (t) =>
  withServer(t, {}, async (server) => {
    await t.test("a device is registered, registered again, and removed; nobody hears of it", async (t) => {
      const { must } = server.as("hamlet")
      const [{ position } = {}] = await server.rows("select max(position)::integer as position from log")
      const answer = await must.post(apns, { token: hex, appid })
      t.strictSame(answer, { result: "success", msg: "" }, "spec 17: the generic success object")
      await must.post(android, { token: "d:APA91b_x-y" })
      const both = [
        { kind: "android", token: "d:APA91b_x-y", app_id: null },
        { kind: "apns", token: hex, app_id: appid },
      ]
      t.same(await kept(server, "hamlet"), both)
      server.clock.advance(60_000)
      await must.post(apns, { token: hex, appid: "org.example.other" })
      await must.post(android, { token: "d:APA91b_x-y" })
      const again = [both[0], { ...both[1], app_id: "org.example.other" }]
      t.same(await kept(server, "hamlet"), again, "contract 2.17: re-adding the same token is success")
      await server.restart()
      t.same(await kept(server, "hamlet"), again)
      await server.as("hamlet").must.delete(apns, { token: hex })
      t.same(await kept(server, "hamlet"), again.slice(0, 1))
      await server.as("hamlet").must.delete(android, { token: "d:APA91b_x-y" })
      t.same(await kept(server, "hamlet"), [])
      t.same(await server.rows("select from log where position > $1", [Number(position)]), [], "no row was written")
    })

    await t.test("contract 1.4: bots have no devices", async (t) => {
      const bot = { fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
      await server.run(setUpUser(server.realmId, { ...bot, email: "bot@test.example" }))
      const asked = server.asEmail("bot@test.example")
      const refused = [
        { when: "a bot", fields: { token: hex, appid }, msg: "This endpoint does not accept bot requests." },
      ]
      for (const path of [apns, android]) {
        await refuses(t, refused, (fields) => asked.post(path, fields))
        await refuses(t, refused, (fields) => asked.delete(path, fields))
      }
      t.same(await server.rows("select from device_token"), [])
    })

    await t.test("characters of neither form are skipped: a token is the same with and without them", async (t) => {
      const { must } = server.as("hamlet")
      for (const token of ["apple-tokenbb", "ab-_", `${hex}\n`, "<c0ffee 00>"]) await must.post(apns, { token, appid })
      t.same(
        (await kept(server, "hamlet")).map(({ token }) => token).sort(),
        ["ab", "appletokenbb", "c0ffee00", hex].sort(),
      )
      for (const token of ["appletokenbb", "a-b", hex, "c0ffee00"]) await must.delete(apns, { token })
      t.same(await kept(server, "hamlet"), [])
    })

    await t.test("a device may serve several accounts, and each removes its own only", async (t) => {
      const fields = { token: hex, appid }
      await server.as("hamlet").must.post(apns, fields)
      await server.as("polonius").must.post(apns, fields)
      const unknown = { when: "unknown", fields: { token: hex }, msg: "Token does not exist" }
      const cordelia = server.as("cordelia")
      await refuses(t, [unknown, { ...unknown, fields: { token: "abcd" } }], (each) => cordelia.delete(apns, each))
      await refuses(t, [unknown], (each) => server.as("hamlet").delete(android, each))
      await server.as("hamlet").must.delete(apns, { token: hex })
      await refuses(t, [unknown], (each) => server.as("hamlet").delete(apns, each))
      t.match(await kept(server, "hamlet", "polonius"), [{ token: hex }], "the guest keeps theirs")
    })

    await t.test("spec 17: an empty token, one of an invalid length and an invalid one are BAD_REQUEST", async (t) => {
      const length = "Empty or invalid length token"
      const ofAll = [
        { when: "an empty token", fields: { token: "" }, msg: length },
        { when: "a long token", fields: { token: "a".repeat(4097) }, msg: length },
        { when: "a token as long as a request may be", fields: { token: "a".repeat(900_000) }, msg: length },
        { when: "NUL", fields: { token: "aa\u0000" }, msg: "token must not contain null bytes" },
        {
          when: "no token",
          fields: { token: undefined },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'token' argument",
        },
      ]
      const ofApple = ["abc", "abcde", "====", "ab==cd==", "a b c", "äöüß", "ab-_c", " "].map((token) => ({
        when: `neither hexadecimal nor base64: ${JSON.stringify(token)}`,
        fields: { token },
        msg: "Invalid APNS token",
      }))
      const ofApp = [
        ...["", "a b", "org.example/x", "ä", "a\n", "a_b"].map((value) => ({
          when: `the app ${JSON.stringify(value)}`,
          fields: { appid: value },
          msg: "appid has invalid format",
        })),
        { when: "a long app", fields: { appid: "a".repeat(256) }, msg: "appid is too long (limit: 255 characters)" },
        {
          when: "no app (spec 17: required from feature level 223)",
          fields: { appid: undefined },
          code: "REQUEST_VARIABLE_MISSING",
          msg: "Missing 'appid' argument",
        },
      ]
      const othello = server.as("othello")
      await refuses(t, [...ofAll, ...ofApple, ...ofApp], (fields) =>
        othello.post(apns, { token: hex, appid, ...fields }),
      )
      await refuses(t, [...ofAll, ...ofApple], (fields) => othello.delete(apns, fields))
      await refuses(t, ofAll, (fields) => othello.post(android, fields))
      await refuses(t, ofAll, (fields) => othello.delete(android, fields))
      t.same(await kept(server, "othello"), [])
      const longest = [randomBytes(2048).toString("hex"), randomBytes(3072).toString("base64")]
      const accepted = ["ab", "ABcd", "YQ==", "YWI=", "a+/b", ...longest]
      for (const token of accepted) await othello.must.post(apns, { token, appid })
      for (const token of ["\u{1F431}".repeat(4096), " ", "'; --", ...longest])
        await othello.must.post(android, { token })
      t.equal((await kept(server, "othello")).length, accepted.length + 5)
      for (const token of longest) await othello.must.delete(apns, { token })
      t.equal((await kept(server, "othello")).length, accepted.length + 3)
    })

    await t.test("a user has at most 100 devices of both kinds, however many requests come at once", async (t) => {
      const { must, post } = server.as("shiva")
      for (let n = 0; n < 48; n++) await must.post(apns, { token: `${n}`.padStart(4, "0"), appid })
      for (let n = 0; n < 48; n++) await must.post(android, { token: `${n}` })
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => post(android, { token: `late ${n}` })))
      const [taken, refused] = [200, 400].map((status) => answers.filter((answer) => answer.status === status))
      t.equal(taken?.length, 4)
      t.equal(refused?.length, 8)
      const msg = "You can register at most 100 devices: remove one first."
      for (const { body } of refused ?? []) t.match(body, { code: "BAD_REQUEST", msg })
      await must.post(apns, { token: "0000", appid })
      await server.as("polonius").must.post(android, { token: "others are not concerned" })
      await must.delete(apns, { token: "0000" })
      await must.post(android, { token: "there is room again" })
      t.equal((await kept(server, "shiva")).length, 100)
    })

    await t.test("a new API key signs devices out: they are registered with it anew", async (t) => {
      const hamlet = server.as("hamlet")
      await hamlet.must.post(apns, { token: hex, appid })
      await server.as("cordelia").must.post(apns, { token: hex, appid })
      const { api_key } = await hamlet.must.post("/users/me/api_key/regenerate")
      t.same(await kept(server, "hamlet"), [])
      t.match(await kept(server, "cordelia"), [{ token: hex }])
      const old = personOf(server.origin, hamlet.account)
      t.match(await old.post(apns, { token: hex, appid }), { status: 401 })
      const anew = personOf(server.origin, { ...hamlet.account, key: String(api_key) })
      await anew.must.post(apns, { token: hex, appid })
      t.match(await kept(server, "hamlet"), [{ token: hex }])
    })

    await t.test("devices are gone with the account, even those that are registered meanwhile", async (t) => {
      const iago = server.as("iago").must
      const hamlet = server.as("hamlet")
      await server.as("cordelia").must.post(apns, { token: hex, appid })
      const path = `/users/${server.idOf("hamlet")}`
      for (let round = 0; round < 5; round++) {
        await hamlet.must.post(apns, { token: hex, appid })
        const add = (n: number) => hamlet.post(android, { token: `${round} ${n}` })
        const [before, after] = [Array.from({ length: 8 }, (_, n) => n), Array.from({ length: 8 }, (_, n) => 8 + n)]
        const adding = before.map(add)
        const leaving = iago.delete(path)
        const late = await Promise.all([...adding, ...after.map(add)])
        await leaving
        for (const { status } of late) t.ok(status === 200 || status === 401)
        t.same(await kept(server, "hamlet"), [])
        await iago.post(`${path}/reactivate`)
        t.same(await kept(server, "hamlet"), [], "who comes back registers anew")
      }
      t.match(await kept(server, "cordelia"), [{ token: hex }])
    })

    await t.test("nothing is pushed yet, and clients are told so", async (t) => {
      await server.as("hamlet").must.post(apns, { token: hex, appid })
      const told: ReadonlyArray<Fields> = [
        await server.as("hamlet").must.get("/server_settings"),
        await server.as("hamlet").must.post("/register", { fetch_event_types: ["realm"] }),
      ]
      t.match(told, [{ push_notifications_enabled: false }, { realm_push_notifications_enabled: false }])
    })
  }),
)
