/**
 * Views that the requester keeps in their navigation: those that every client has, pinned or not, and their own, which have a
 * name. Nobody else sees them.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, notThere } from "../../../api/errors.ts"
import { boolean, check, optional, trimmed } from "../../../api/params.ts"
import { change, done, type RefusedJudgement, refused } from "../../../events/command.ts"
import { findStored } from "../../ground/kinds/section-store.ts"
import { badCharacterAt, isInvisible } from "../../ground/realm/domain-values.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { mostViews, NavigationView, navigationViewSection, viewRow } from "./navigation-view-event.ts"

/** The views that every client has, by a name of its own. */
const builtIn: ReadonlySet<string> = new Set([
  "inbox",
  "recent",
  "feed",
  "drafts",
  "scheduled",
  "reminders",
  "narrow/has/reaction/sender/me",
  "narrow/is/mentioned",
  "narrow/is/starred",
])

const fragment = check(trimmed("fragment", { min: 1, max: 500 }), (text) =>
  badCharacterAt(text) === undefined ? undefined : "fragment has invalid format",
)
const name = check(trimmed("name", { min: 1, max: 100 }), (text) => {
  if (isInvisible(text)) return "name cannot be blank"
  return badCharacterAt(text) === undefined ? undefined : "name has invalid format"
})
const isPinned = boolean("is_pinned")

const builtInNamed = badRequest("Built-in views cannot have a custom name.")
const unnamed = badRequest("Custom views must have a valid name.")

const refusals: Readonly<Record<string, RefusedJudgement>> = {
  taken: refused(badRequest("Navigation view already exists.")),
  full: refused(badRequest(`You can keep at most ${mostViews} views.`)),
  gone: refused(notThere("Navigation view does not exist.")),
}

const submit = (caller: Caller, payload: Parameters<typeof viewRow>[1]) =>
  submitAs(caller, (_realm, actor) =>
    change<undefined>([viewRow(actor.id, payload)], {
      answer: () => undefined,
      refused: { ...refusals, same: done(undefined) },
    }),
  )

const getViews = userEndpoint({
  method: "GET",
  path: "/navigation_views",
  summary: "The views in the requester's navigation, oldest first.",
  params: {},
  reply: Schema.Struct({ navigation_views: Schema.Array(NavigationView) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    yield* requireAccount(caller)
    return dataReply(navigationViewSection.read(yield* findStored(navigationViewSection, caller.realm, caller.user)))
  }),
})

const postView = userEndpoint({
  method: "POST",
  path: "/navigation_views",
  fresh: "onRefusal",
  summary: "Keeps a view in the requester's navigation.",
  params: { fragment, isPinned, name: optional(name) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { fragment, isPinned, name = null } }) {
    if (builtIn.has(fragment) && name !== null) return yield* builtInNamed
    if (!builtIn.has(fragment) && name === null) return yield* unnamed
    yield* submit(caller, { op: "add", fragment, is_pinned: isPinned, name })
    return dataReply()
  }),
})

const patchView = userEndpoint({
  method: "PATCH",
  path: "/navigation_views/{fragment}",
  fresh: "onRefusal",
  summary: "Pins a view in the requester's navigation, or names it otherwise.",
  params: { fragment, isPinned: optional(isPinned), name: optional(name) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { fragment, isPinned, name } }) {
    if (builtIn.has(fragment) && name !== undefined) return yield* builtInNamed
    const said = {
      ...(isPinned === undefined ? {} : { is_pinned: isPinned }),
      ...(name === undefined ? {} : { name }),
    }
    yield* submit(caller, { op: "update", fragment, data: said })
    return dataReply()
  }),
})

const deleteView = userEndpoint({
  method: "DELETE",
  path: "/navigation_views/{fragment}",
  fresh: "onRefusal",
  summary: "Takes a view out of the requester's navigation.",
  params: { fragment },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { fragment } }) {
    yield* submit(caller, { op: "remove", fragment })
    return dataReply()
  }),
})

export const navigationViewEndpoints = [getViews, postView, patchView, deleteView]
