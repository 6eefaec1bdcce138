/** Faults in what the features of the chat part stand on: who may do and see what, and the projection. */
import type { Fault } from "../fault.ts"

export const groundFaults: ReadonlyArray<Fault> = [
  {
    name: "whoever may read a channel reads what was said before they came",
    file: "src/chat/ground/permissions/permissions.ts",
    find: "channel.history_shared && mayReadContent(rules, user, channel);",
    replace: "mayReadContent(rules, user, channel);",
  },
  {
    name: "guests read every public channel",
    file: "src/chat/ground/permissions/permissions.ts",
    find: "!channel.is_private && (!isGuest(user) || channel.is_web_public);",
    replace: "!channel.is_private;",
  },
  {
    name: "only many who lose sight of a channel are told so",
    file: "src/chat/ground/permissions/channel-visibility.ts",
    find: "...(hidden.length === 0 ? [] : [hideRow([channel], hidden)]),",
    replace: "...(hidden.length < 2 ? [] : [hideRow([channel], hidden)]),",
  },
  {
    name: "a limited guest knows the people of a channel that they have left",
    file: "src/chat/ground/realm/acquaintance/acquaintance.ts",
    find: "(channel) => isIn(channel, guest) && isIn(channel, other)",
    replace: "(channel) => isIn(channel, other)",
  },
  {
    name: "who is deactivated stays in the lists of who is here",
    file: "src/chat/ground/kinds/realm-user-row.ts",
    find: "realm.part(presences).leave(id);",
    replace: "realm.part(presences);",
  },
]
