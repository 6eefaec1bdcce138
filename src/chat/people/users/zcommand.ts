/**
 * POST /zcommand: what somebody writes into a client with a slash before it that is about themselves and no message. It changes
 * the same settings as PATCH /settings, with the same events; the answer's `msg` says what was done, for people.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { text } from "../../../api/params.ts"
import { change, done, type Judgement } from "../../../events/command.ts"
import type { Json } from "../../../json.ts"
import type { UserSetting } from "../../ground/realm/user-settings.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { settingRows } from "./setting-rows.ts"

interface SettingSwitch {
  /** What it switches to, as people call it. */
  readonly called: string
  readonly setting: UserSetting
  readonly value: Json
  /** The command that undoes it. */
  readonly back: string
}

const dark: SettingSwitch = { called: "dark theme", setting: "color_scheme", value: 2, back: "light" }
const light: SettingSwitch = { called: "light theme", setting: "color_scheme", value: 3, back: "dark" }

const switches: ReadonlyMap<string, SettingSwitch> = new Map([
  ["dark", dark],
  ["night", dark],
  ["light", light],
  ["day", light],
  ["fluid-width", { called: "fluid width", setting: "fluid_layout_width", value: true, back: "fixed-width" }],
  ["fixed-width", { called: "fixed width", setting: "fluid_layout_width", value: false, back: "fluid-width" }],
])

export const postZcommand = userEndpoint({
  method: "POST",
  path: "/zcommand",
  fresh: "onRefusal",
  summary:
    "Does a command of the requester about themselves: `/ping`, `/dark`, `/light`, `/fluid-width`, `/fixed-width`.",
  params: { command: text("command", { max: 100 }) },
  reply: Schema.Struct({ msg: Schema.String }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { command } }) {
    if (!command.startsWith("/")) return yield* badRequest("There should be a leading slash in the zcommand.")
    const word = command.slice(1)
    if (word === "ping") {
      yield* requireAccount(caller)
      return dataReply({ msg: "" })
    }
    const wanted = switches.get(word)
    if (wanted === undefined) return yield* badRequest(`No such command: ${word}`)
    const { called, setting, value, back } = wanted
    const msg = yield* submitAs(caller, (realm, actor): Judgement<string> => {
      const rows = settingRows(realm, actor, [[setting, value]])
      if (rows.length === 0) return done(`You are still in ${called}.`)
      return change(rows, { answer: () => `Changed to ${called}! To revert ${called}, type \`/${back}\`.` })
    })
    return dataReply({ msg })
  }),
})
