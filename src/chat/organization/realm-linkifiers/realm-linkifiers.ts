/**
 * Linkifiers: patterns whose matches in messages and topics become links. Everybody reads them; administrators make,
 * change, order and remove them. What a pattern may be is said in text/linkifiers.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, principalUnauthorized } from "../../../api/errors.ts"
import { integer, json, text } from "../../../api/params.ts"
import { integer as integerShape, list } from "../../../api/shapes.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import { mayChangeRealm } from "../../ground/permissions/permissions.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { linkifierFault } from "../../text/linkifiers/linkifier-pattern.ts"
import { type LinkifierList, type LinkifierRecord, linkifiers } from "../../text/linkifiers/linkifiers.ts"
import { Linkifiers, linkifierRow } from "./realm-linkifier-event.ts"

/** Every pattern is looked for in every message; and every register and every change has all of their characters. */
const mostLinkifiers = 100
const mostCharacters = 50_000

const notFound = badRequest("Linkifier not found.")

const pattern = text("pattern", { min: 1 })
const template = text("url_template", { min: 1 })
const filterId = integer("filter_id")

interface WrittenLinkifier {
  readonly pattern: string
  readonly url_template: string
}

const notAllowed = principalUnauthorized("Must be an organization administrator")

/**
 * Checked before the command is judged, because compiling a pattern may take some milliseconds; and only for those who may
 * write one.
 */
const readWritten = Effect.fnUntraced(function* (caller: Caller, { pattern, url_template }: WrittenLinkifier) {
  const { user } = yield* requireAccount(caller)
  if (!mayChangeRealm(user)) return yield* notAllowed
  const fault = linkifierFault(pattern, url_template)
  return fault === undefined ? { pattern, url_template } : yield* badRequest(fault)
})

/** The list with one linkifier made or changed. */
const requireFit = (known: LinkifierList, linkifiers: ReadonlyArray<LinkifierRecord>): Checked<LinkifierList> => {
  const patterns = new Set(linkifiers.map(({ pattern }) => pattern))
  if (patterns.size < linkifiers.length) return Result.fail(badRequest("A linkifier with this pattern already exists."))
  const characters = linkifiers.reduce(
    (sum, { pattern, url_template }) => sum + pattern.length + url_template.length,
    0,
  )
  if (linkifiers.length > mostLinkifiers || characters > mostCharacters)
    return Result.fail(
      badRequest(`There can be ${mostLinkifiers} linkifiers at most, of ${mostCharacters} characters together.`),
    )
  return Result.succeed({ last_id: Math.max(known.last_id, ...linkifiers.map(({ id }) => id)), linkifiers })
}

/** Submits a change of the list; null: there is nothing to change. Answers what `plan` found. */
const submit = <A>(caller: Caller, plan: (known: LinkifierList) => Checked<readonly [A, LinkifierList | null]>) =>
  submitAs(caller, (realm, actor): Judgement<A> => {
    if (!mayChangeRealm(actor)) return refused(notAllowed)
    return judgementOf(
      plan(realm.part(linkifiers).list),
      ([answer, list]): Judgement<A> =>
        list === null ? done(answer) : change([linkifierRow(list)], { answer: () => answer }),
    )
  })

const getLinkifiers = userEndpoint({
  method: "GET",
  path: "/realm/linkifiers",
  summary: "The organization's linkifiers, in the order in which they are looked for.",
  params: {},
  reply: Schema.Struct({ linkifiers: Linkifiers }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAccount(caller)
    return dataReply({ linkifiers: realm.part(linkifiers).list.linkifiers })
  }),
})

/** A template as old clients know it, with `%(name)s` for `{name}`; undefined where it is more than that. */
const formatOf = (template: string): string | undefined =>
  /\{[^A-Za-z0-9_]|\{[A-Za-z0-9_]+[^A-Za-z0-9_}]/.test(template)
    ? undefined
    : template.replaceAll("%", "%%").replace(/\{([A-Za-z0-9_]+)\}/g, "%($1)s")

const getFilters = userEndpoint({
  method: "GET",
  path: "/realm/filters",
  summary: "The organization's linkifiers for old clients, without those that they would not understand.",
  params: {},
  reply: Schema.Struct({ filters: Schema.Array(Schema.Tuple([Schema.String, Schema.String, Id])) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm } = yield* requireAccount(caller)
    const filters = realm.part(linkifiers).list.linkifiers.flatMap(({ id, pattern, url_template }) => {
      const format = formatOf(url_template)
      return format === undefined ? [] : [[pattern, format, id]]
    })
    return dataReply({ filters })
  }),
})

const postFilter = userEndpoint({
  method: "POST",
  path: "/realm/filters",
  fresh: "onRefusal",
  summary: "Makes a linkifier, the last in order.",
  params: { pattern, template },
  reply: Schema.Struct({ id: Id }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { pattern, template } }) {
    const written = yield* readWritten(caller, { pattern, url_template: template })
    const id = yield* submit(caller, (known) => {
      const id = known.last_id + 1
      return Result.map(requireFit(known, [...known.linkifiers, { id, ...written }]), (list) => [id, list])
    })
    return dataReply({ id })
  }),
})

const patchFilter = userEndpoint({
  method: "PATCH",
  path: "/realm/filters/{filter_id:int}",
  fresh: "onRefusal",
  summary: "Changes a linkifier.",
  params: { filterId, pattern, template },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { filterId: id, pattern, template } }) {
    const written = yield* readWritten(caller, { pattern, url_template: template })
    yield* submit<undefined>(caller, (known) => {
      const before = known.linkifiers.find((each) => each.id === id)
      if (before === undefined) return Result.fail(notFound)
      if (before.pattern === pattern && before.url_template === template) return Result.succeed([undefined, null])
      const after = known.linkifiers.map((each) => (each.id === id ? { id, ...written } : each))
      return Result.map(requireFit(known, after), (list) => [undefined, list])
    })
    return dataReply()
  }),
})

const deleteFilter = userEndpoint({
  method: "DELETE",
  path: "/realm/filters/{filter_id:int}",
  fresh: "onRefusal",
  summary: "Removes a linkifier.",
  params: { filterId },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { filterId: id } }) {
    yield* submit<undefined>(caller, (known) => {
      const left = known.linkifiers.filter((each) => each.id !== id)
      if (left.length === known.linkifiers.length) return Result.fail(notFound)
      return Result.succeed([undefined, { ...known, linkifiers: left }])
    })
    return dataReply()
  }),
})

const patchLinkifiers = userEndpoint({
  method: "PATCH",
  path: "/realm/linkifiers",
  fresh: "onRefusal",
  summary: "Changes the order in which linkifiers are looked for.",
  params: { order: json("ordered_linkifier_ids", list(integerShape, mostLinkifiers)) },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { order } }) {
    yield* submit<undefined>(caller, (known) => {
      const { linkifiers } = known
      const sorted = order.flatMap((id) => linkifiers.find((each) => each.id === id) ?? [])
      if (order.length !== linkifiers.length || new Set(sorted).size !== linkifiers.length)
        return Result.fail(badRequest("ordered_linkifier_ids must name every linkifier, and each of them once"))
      const isSame = sorted.every((each, n) => each === linkifiers[n])
      return Result.succeed([undefined, isSame ? null : { ...known, linkifiers: sorted }])
    })
    return dataReply()
  }),
})

export const linkifierEndpoints = [getLinkifiers, patchLinkifiers, getFilters, postFilter, patchFilter, deleteFilter]
