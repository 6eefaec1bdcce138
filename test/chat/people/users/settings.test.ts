/** PATCH /settings: what can be changed, the three events, what is refused. */
import t from "tap"
import { userSettingNames } from "../../../../src/chat/ground/realm/user-settings.ts"
import { recordsIn } from "../../../kit/records.ts"
import { refuses } from "../../../kit/refusals.ts"
import { withServer } from "../../../kit/with-server.ts"

const path = "/settings"
const able = { client_capabilities: { user_settings_object: true } }

t.test("PATCH /settings", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    await t.test("settings are changed, with their newer and older events", async (t) => {
      const older = await server.queue("hamlet")
      const modern = await server.queue("hamlet", able)
      const others = await server.queue("cordelia")
      const hamlet = server.as("hamlet")
      await hamlet.must.patch(path, {
        color_scheme: 2,
        enable_sounds: false,
        web_channel_default_view: 3,
        emojiset: "text",
      })
      await hamlet.must.patch(path, { color_scheme: 2, default_language: "en", enable_sounds: false })
      const newer = (property: string, value: unknown) => ({ type: "user_settings", op: "update", property, value })
      const user = "hamlet@test.example"
      t.match(await older.rest(), [
        newer("web_channel_default_view", 3),
        newer("color_scheme", 2),
        { type: "update_display_settings", setting_name: "color_scheme", setting: 2, user },
        newer("emojiset", "text"),
        { type: "update_display_settings", setting_name: "emojiset", setting: "text", user },
        newer("enable_sounds", false),
        { type: "update_global_notifications", notification_name: "enable_sounds", setting: false, user },
      ])
      const told = await modern.rest()
      t.same(
        told.map(({ type, property }) => [type, property]),
        ["web_channel_default_view", "color_scheme", "emojiset", "enable_sounds"].map((each) => [
          "user_settings",
          each,
        ]),
        "each change once, and what is so already not at all",
      )
      t.same(await others.rest(), [], "nobody else hears of it")
      await hamlet.must.patch(path, { timezone: "Europe/Copenhagen" })
      t.match(await modern.rest(), [newer("timezone", "Europe/Copenhagen"), { type: "realm_user", op: "update" }])
      const zone = { user_id: server.idOf("hamlet"), email: user, timezone: "Europe/Copenhagen" }
      t.match(await others.rest(), [{ type: "realm_user", op: "update", person: zone }])
      await server.restart()
      const { state } = await server.queue("hamlet")
      t.match(state, {
        user_settings: { color_scheme: 2, enable_sounds: false, emojiset: "text", timezone: "Europe/Copenhagen" },
        color_scheme: 2,
        enable_sounds: false,
        timezone: "Europe/Copenhagen",
      })
      t.match(await server.as("cordelia").must.get(`/users/${server.idOf("hamlet")}`), {
        user: { timezone: "Europe/Copenhagen" },
      })
    })

    await t.test("the start page has the words of the API, in rows of older programs too", async (t) => {
      const iago = server.as("iago")
      const older = await server.queue("iago")
      const { queueId, lastId } = older
      for (const web_home_view of ["recent_topics", "all_messages", "inbox"]) {
        await iago.must.patch(path, { web_home_view })
        const { state } = await server.queue("iago")
        t.match(state, { web_home_view, user_settings: { web_home_view } })
      }
      const told = (words: ReadonlyArray<string>) =>
        words.flatMap((word) => [
          { type: "user_settings", property: "web_home_view", value: word },
          { type: "update_display_settings", setting_name: "web_home_view", setting: word },
        ])
      t.match(await older.rest(), told(["recent_topics", "all_messages", "inbox"]))
      await iago.must.patch(path, { web_home_view: "all_messages" })
      // As an older program wrote them.
      await server.rows(
        `update log set payload = payload || jsonb_build_object('value', case payload ->> 'value'
           when 'recent_topics' then 'recent' when 'all_messages' then 'all' else payload ->> 'value' end)
        where payload ->> 'property' = 'web_home_view'`,
      )
      await server.rows(`update account set settings = '{"web_home_view": "all"}' where id = $1`, [server.idOf("iago")])
      await server.restart()
      const again = server.as("iago")
      const replayed = await again.must.get("/events", { queue_id: queueId, last_event_id: lastId, dont_block: true })
      t.match(recordsIn(replayed["events"]), told(["recent_topics", "all_messages", "inbox", "all_messages"]))
      t.match((await server.queue("iago")).state, { web_home_view: "all_messages" })
      const refused = { status: 400, body: { msg: "Invalid web_home_view" } }
      t.match(await again.patch(path, { web_home_view: "all" }), refused)
      await again.must.patch(path, { web_home_view: "recent" })
      t.match((await server.queue("iago")).state, { web_home_view: "recent_topics" }, "the word of newer clients")
    })

    await t.test(
      "a time zone is a name of the IANA database, the same on every Node, stored in its proper spelling",
      async (t) => {
        const hamlet = server.as("hamlet")
        const zoneAfter = async (timezone: string) => {
          await hamlet.must.patch(path, { timezone })
          return server.realm.realm.users.get(server.idOf("hamlet"))?.timezone
        }
        const lines = [
          ["europe/copenhagen", "Europe/Copenhagen"],
          ["utc", "UTC"],
          ["Etc/UTC", "Etc/UTC"],
          ["etc/gmt-14", "Etc/GMT-14"],
          ["Asia/Kolkata", "Asia/Kolkata"],
          ["asia/calcutta", "Asia/Calcutta"],
          ["us/pacific", "US/Pacific"],
          ["america/port-au-PRINCE", "America/Port-au-Prince"],
          // Names of the last years, which older runtimes do not have.
          ["Europe/Kyiv", "Europe/Kyiv"],
          ["Europe/Kiev", "Europe/Kiev"],
          ["america/ciudad_juarez", "America/Ciudad_Juarez"],
          ["America/Coyhaique", "America/Coyhaique"],
          ["est5edt", "EST5EDT"],
          ["gb-eire", "GB-Eire"],
          ["", ""],
        ] as const
        for (const [sent, stored] of lines) t.equal(await zoneAfter(sent), stored, sent)
        const offsets = ["+01:00", "-03", "+0530", "UTC+1", "GMT+1", "Z"]
        const otherNames = [
          "PST",
          "CEST",
          "IST",
          "W. Europe Standard Time",
          "SystemV/PST8",
          "US/Pacific-New",
          "EST5EDT4",
        ]
        const noPlaces = ["Europe/Atlantis", "localtime", "posixrules", "Factory", "zones", "__proto__", "constructor"]
        // The K of one of them is the sign of the unit kelvin, whose small letter is that of a K.
        const writings = [" UTC", "UTC ", "Europe", "Europe/", "Europe\\Berlin", "Asia/\u212aolkata", "posix/UTC"]
        for (const timezone of [...offsets, ...otherNames, ...noPlaces, ...writings])
          t.match(
            await hamlet.patch(path, { timezone }),
            { status: 400, body: { msg: "Invalid timezone: Not a recognized time zone" } },
            timezone,
          )
      },
    )

    await t.test("the older twins take each their half, and ignore the other", async (t) => {
      const othello = server.as("othello")
      const both = { color_scheme: 2, timezone: "Europe/Copenhagen", enable_sounds: false, web_font_size_px: 20 }
      t.match(await othello.patch("/settings/display", both), {
        status: 200,
        body: { ignored_parameters_unsupported: ["enable_sounds", "web_font_size_px"] },
      })
      t.match((await server.queue("othello")).state, {
        color_scheme: 2,
        timezone: "Europe/Copenhagen",
        enable_sounds: true,
      })
      t.match(await othello.patch("/settings/notifications", { ...both, color_scheme: 3 }), {
        status: 200,
        body: { ignored_parameters_unsupported: ["color_scheme", "timezone", "web_font_size_px"] },
      })
      t.match((await server.queue("othello")).state, { color_scheme: 2, enable_sounds: false })
      t.match(await othello.patch("/settings/display", { color_scheme: 4 }), { body: { msg: "Invalid color_scheme" } })
    })

    await t.test("settings that notifications wait for, and languages, are kept and told", async (t) => {
      const older = await server.queue("shiva")
      await server.as("shiva").must.patch(path, {
        default_language: "de",
        email_notifications_batching_period_seconds: 300,
        enable_digest_emails: true,
      })
      const language = { language_name: "Deutsch" }
      const newer = (property: string, value: unknown) => ({ type: "user_settings", property, value })
      const notified = (notification_name: string, setting: unknown) => ({
        type: "update_global_notifications",
        notification_name,
        setting,
      })
      t.match(await older.rest(), [
        { ...newer("default_language", "de"), ...language },
        { type: "update_display_settings", setting_name: "default_language", setting: "de", ...language },
        newer("email_notifications_batching_period_seconds", 300),
        notified("email_notifications_batching_period_seconds", 300),
        newer("enable_digest_emails", true),
        notified("enable_digest_emails", true),
      ])
    })

    await t.test("refusals: all or nothing", async (t) => {
      const before = (await server.queue("cordelia")).state["user_settings"]
      const queue = await server.queue("cordelia")
      await refuses(
        t,
        [
          { when: "no boolean", fields: { enter_sends: "yes" }, msg: "enter_sends is not a boolean" },
          { when: "no integer", fields: { color_scheme: "dark" }, msg: "color_scheme is not an integer" },
          { when: "an unknown number", fields: { color_scheme: 4 }, msg: "Invalid color_scheme" },
          { when: "an unknown word", fields: { emojiset: "apple" }, msg: "Invalid emojiset" },
          { when: "an unknown language", fields: { default_language: "xx" }, msg: "Invalid default_language" },
          { when: "a small font", fields: { web_font_size_px: 1 }, msg: "web_font_size_px is too small" },
          {
            when: "an unknown zone",
            fields: { timezone: "+01:00" },
            msg: "Invalid timezone: Not a recognized time zone",
          },
          { when: "no name", fields: { full_name: " " }, msg: "Name too short!" },
          { when: "another address, without mail", fields: { email: "a@test.example" }, msg: /cannot send mail/ },
          { when: "a short password", fields: { old_password: "a", new_password: "b" }, msg: /too short/ },
        ],
        (fields) => server.as("cordelia").patch(path, { twenty_four_hour_time: true, ...fields }),
      )
      t.same((await server.queue("cordelia")).state["user_settings"], before)
      // The present value of each is accepted.
      const present = Object.fromEntries(userSettingNames.map((name) => [name, Object(before)[name]]))
      await server.as("cordelia").must.patch(path, { ...present, timezone: "", email: "cordelia@test.example" })
      t.same(await queue.rest(), [])
    })

    await t.test("typing indicators follow the settings", async (t) => {
      await server.as("hamlet").must.patch(path, { send_stream_typing_notifications: false })
      const typing = { type: "stream", op: "start", stream_id: 1, topic: "t" }
      t.match(await server.as("hamlet").post("/typing", typing), {
        status: 400,
        body: { msg: "User has disabled typing notifications for channel messages" },
      })
    })

    await t.test("who hides their address hides it", async (t) => {
      const others = await server.queue("cordelia")
      await server.as("hamlet").must.patch(path, { email_address_visibility: 3 })
      t.match((await others.rest()).at(-1), { type: "realm_user", person: { delivery_email: null } })
      const { user } = await server.as("cordelia").must.get(`/users/${server.idOf("hamlet")}`)
      t.match(user, { delivery_email: null })
    })
  }),
)
