/** Settings of accounts as they are held in memory: equal ones are one object, whichever way they came about. */
import t from "tap"
import {
  defaultUserSettings,
  newUserSettings,
  userSettingsOf,
  withUserSetting,
} from "../../../../src/chat/ground/realm/user-settings.ts"

t.test("equal settings are one object", async (t) => {
  t.equal(userSettingsOf({}), defaultUserSettings)
  t.equal(userSettingsOf({ ...newUserSettings }), newUserSettings)
  const dark = userSettingsOf({ color_scheme: 2, enter_sends: false })
  t.match(dark, { color_scheme: 2, enter_sends: false })
  t.equal(userSettingsOf({ enter_sends: false, color_scheme: 2 }), dark, "in whatever order they are stored")
  t.equal(withUserSetting(withUserSetting(defaultUserSettings, "enter_sends", false), "color_scheme", 2), dark)
  t.equal(withUserSetting(withUserSetting(dark, "enter_sends", true), "color_scheme", 1), defaultUserSettings)
})

t.test("however many different ones there are, each is right, and the usual ones stay shared", async (t) => {
  const seconds = (n: number) => userSettingsOf({ email_notifications_batching_period_seconds: n })
  for (let n = 1; n <= 3000; n++) t.equal(seconds(n).email_notifications_batching_period_seconds, n)
  t.equal(seconds(3000), seconds(3000))
  t.equal(userSettingsOf({ ...defaultUserSettings }), defaultUserSettings)
})
