/**
 * Playgrounds: places elsewhere in which clients open a code block of a language, by an address that they make of a template
 * and the code. Everybody reads them, in register; administrators make and remove them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseTemplate } from "url-template"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { check, integer, mapped, trimmed } from "../../../api/params.ts"
import { change, type Judgement, refused } from "../../../events/command.ts"
import { mayChangeRealm, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { badCharacterAt, isInvisible } from "../../ground/realm/domain-values.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { beginsSafely, namesOf, unsafeBeginning } from "../../text/linkifiers/url-templates.ts"
import { playgroundRow, playgrounds } from "./realm-playground-event.ts"

/** Every register and every change has all of them. */
const mostPlaygrounds = 100
const longestName = 100
const longestLanguage = 40
const longestTemplate = 500

const name = check(trimmed("name", { min: 1, max: longestName }), (text) => {
  if (isInvisible(text)) return "name cannot be blank"
  return badCharacterAt(text) === undefined ? undefined : "name has invalid format"
})

/** As lexers of code are named. */
const language = check(trimmed("pygments_language", { min: 1, max: longestLanguage }), (text) =>
  /^[ a-zA-Z0-9_+\-./#]+$/.test(text) ? undefined : "pygments_language has invalid format",
)

/** The one variable of a template: the code. */
const variable = "code"

const readTemplate = (template: string): Checked<string> => {
  const names = namesOf(template)
  if (names === undefined) return Result.fail(badRequest("Invalid URL template."))
  if (!names.includes(variable))
    return Result.fail(badRequest(`Missing the required variable "${variable}" in the URL template`))
  if (names.some((each) => each !== variable))
    return Result.fail(badRequest(`"${variable}" should be the only variable present in the URL template`))
  if (!beginsSafely(template)) return Result.fail(badRequest(unsafeBeginning))
  return URL.canParse(parseTemplate(template).expand({ [variable]: "x" }))
    ? Result.succeed(template)
    : Result.fail(badRequest("Invalid URL template."))
}

const template = mapped(trimmed("url_template", { min: 1, max: longestTemplate }), readTemplate)

const taken = badRequest("Realm playground with this Realm, Pygments language and Name already exists.")
const full = badRequest(`There can be ${mostPlaygrounds} playgrounds at most.`)

const postPlayground = userEndpoint({
  method: "POST",
  path: "/realm/playgrounds",
  fresh: "onRefusal",
  summary: "Makes a playground: a place elsewhere where clients open code of a language.",
  params: { name, language, template },
  reply: Schema.Struct({ id: Id }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { name, language, template } }) {
    const id = yield* submitAs(caller, (realm, actor): Judgement<number> => {
      if (!mayChangeRealm(actor)) return refused(ranksTooLow(actor))
      const { last_id, playgrounds: known } = realm.part(playgrounds).list
      if (known.some((each) => each.name === name && each.pygments_language === language)) return refused(taken)
      if (known.length >= mostPlaygrounds) return refused(full)
      const id = last_id + 1
      const made = { id, name, pygments_language: language, url_template: template }
      return change([playgroundRow({ last_id: id, playgrounds: [...known, made] })], { answer: () => id })
    })
    return dataReply({ id })
  }),
})

const deletePlayground = userEndpoint({
  method: "DELETE",
  path: "/realm/playgrounds/{playground_id:int}",
  fresh: "onRefusal",
  summary: "Removes a playground.",
  params: { id: integer("playground_id") },
  reply: noFields,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { id } }) {
    yield* submitAs(caller, (realm, actor): Judgement<void> => {
      if (!mayChangeRealm(actor)) return refused(ranksTooLow(actor))
      const { last_id, playgrounds: known } = realm.part(playgrounds).list
      const left = known.filter((each) => each.id !== id)
      if (left.length === known.length) return refused(badRequest("Invalid playground"))
      return change([playgroundRow({ last_id, playgrounds: left })])
    })
    return dataReply()
  }),
})

export const playgroundEndpoints = [postPlayground, deletePlayground]
