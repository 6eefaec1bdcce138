/**
 * Events about what bots have beyond their user record; that is told by `realm_user`. No event carries an API key, which
 * clients ask for by itself.
 */
import * as Schema from "effect/Schema"
import { realmBotRows } from "../../ground/bot-settings/bot-rows.ts"
import { botSettingKeys, wireBotSettings } from "../../ground/bot-settings/bot-settings.ts"
import { wireKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { Id, opEvent } from "../../ground/wire/wire-values.ts"

const bot = Schema.Struct({ user_id: Id, ...botSettingKeys })

export const realmBotKind = wireKind(realmBotRows, {
  events: {
    add: opEvent("realm_bot", "add", { bot }),
    update: opEvent("realm_bot", "update", { bot }),
    delete: opEvent("realm_bot", "delete", { bot: Schema.Struct({ user_id: Id }) }),
  },
  sections: ["realm_bot"],
  wire: (payload) => {
    const { op, user_id } = payload
    const further = payload.op === "delete" ? {} : wireBotSettings(payload.settings)
    return oneEvent({ type: "realm_bot", op, bot: { user_id, ...further } })
  },
})
