/**
 * Alert words: a message that contains one of a user's has the flag `has_alert_word` for them. Only their owner sees
 * them.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { json } from "../../../api/params.ts"
import { bounded, list } from "../../../api/shapes.ts"
import { change, done, refused } from "../../../events/command.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { alertWords, longestAlertWord } from "../../sending/messages/alert-word-index.ts"
import { alertWordsKeys, alertWordsRow } from "./alert-words-event.ts"

/** The most words of a user: every send is compared with the words of all. */
const mostWords = 100

const words = json("alert_words", list(bounded({ max: longestAlertWord }), mostWords))

/** Without space around them, blank ones left out. */
const trimmedWords = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word) => word.trim()).filter((word) => word !== "")

const foldedWords = (words: ReadonlyArray<string>): ReadonlySet<string> => new Set(words.map(fold))

const withWords = (known: ReadonlyArray<string>, added: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = new Map(known.map((word) => [fold(word), word]))
  for (const word of added) if (!all.has(fold(word))) all.set(fold(word), word)
  return [...all.values()]
}

const reply = Schema.Struct(alertWordsKeys)

const getAlertWords = userEndpoint({
  method: "GET",
  path: "/users/me/alert_words",
  summary: "The requester's alert words.",
  params: {},
  reply,
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm, user } = yield* requireAccount(caller)
    return dataReply({ alert_words: realm.part(alertWords).of(user.id) })
  }),
})

const postAlertWords = userEndpoint({
  method: "POST",
  path: "/users/me/alert_words",
  fresh: "onRefusal",
  summary: "Adds alert words. Words that differ from one of them only in case are left out.",
  params: { words },
  reply,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const added = trimmedWords(params.words)
    const alert_words = yield* submitAs(caller, (realm, actor) => {
      const known = realm.part(alertWords).of(actor.id)
      const all = withWords(known, added)
      if (all.length === known.length) return done(known)
      if (all.length > mostWords) return refused(badRequest(`You can have at most ${mostWords} alert words.`))
      return change([alertWordsRow(actor.id, all)], { answer: () => all })
    })
    return dataReply({ alert_words })
  }),
})

const deleteAlertWords = userEndpoint({
  method: "DELETE",
  path: "/users/me/alert_words",
  fresh: "onRefusal",
  summary: "Removes alert words, whatever their case. Those that the requester does not have are ignored.",
  params: { words },
  reply,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const unwanted = foldedWords(trimmedWords(params.words))
    const alert_words = yield* submitAs(caller, (realm, actor) => {
      const known = realm.part(alertWords).of(actor.id)
      const left = known.filter((word) => !unwanted.has(fold(word)))
      if (left.length === known.length) return done(known)
      return change([alertWordsRow(actor.id, left)], { answer: () => left })
    })
    return dataReply({ alert_words })
  }),
})

export const alertWordEndpoints = [getAlertWords, postAlertWords, deleteAlertWords]
