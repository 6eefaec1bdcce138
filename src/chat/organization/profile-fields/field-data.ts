/** What the data of a profile field may be, by its type, and the text that is kept of it. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { bounded, strictObject } from "../../../api/shapes.ts"
import type { JsonObject } from "../../../json.ts"
import { customAccount, externalAccounts, userNameMark } from "../../ground/profiles/external-accounts.ts"
import { type FieldType, fieldTypes } from "../../ground/profiles/profile-fields.ts"
import { isPageUrl } from "../../people/profile-data/profile-value.ts"

const mostChoices = 100
/** Characters of a word that values are, of the text that is shown for it, and of its place. */
const longestWord = 50
const longestChoice = 100
const choice = strictObject({
  text: bounded({ min: 1, max: longestChoice }),
  order: bounded({ min: 1, max: longestWord }),
})

interface FieldChoice {
  readonly text: string
  readonly order: string
}

const longestPattern = 2048

const refuse = (msg: string) => Result.fail(badRequest(msg))

const readChoices = (data: JsonObject): Checked<string> => {
  const words = Object.keys(data)
  if (words.length === 0) return refuse("Field must have at least one choice.")
  if (words.length > mostChoices) return refuse(`Field must have at most ${mostChoices} choices.`)
  const choices: Array<readonly [word: string, choice: FieldChoice]> = []
  for (const word of words) {
    if (word.trim() === "") return refuse("'value' cannot be blank.")
    if ([...word].length > longestWord) return refuse(`value is too long (limit: ${longestWord} characters)`)
    const read = choice(data[word], `field_data["${word}"]`)
    if (Result.isFailure(read)) return refuse(read.failure)
    choices.push([word, read.success])
  }
  const texts = new Set(choices.map(([, { text }]) => text))
  return texts.size < words.length
    ? refuse("Field must not have duplicate choices.")
    : Result.succeed(JSON.stringify(Object.fromEntries(choices)))
}

const readAccount = (data: JsonObject): Checked<string> => {
  const { subtype, url_pattern, ...others } = data
  const [other] = Object.keys(others)
  if (other !== undefined) return refuse(`Argument "${other}" at field_data["${other}"] is unexpected`)
  if (!Predicate.isString(subtype)) return refuse('field_data["subtype"] is not a string')
  if (Object.hasOwn(externalAccounts, subtype)) return Result.succeed(JSON.stringify({ subtype }))
  if (subtype !== customAccount) return refuse("Invalid external account type")
  if (url_pattern === undefined) return refuse("Custom external account must define URL pattern")
  if (!Predicate.isString(url_pattern)) return refuse("url_pattern is not a string")
  if (url_pattern.length > longestPattern)
    return refuse(`url_pattern is too long (limit: ${longestPattern} characters)`)
  if (url_pattern.split(userNameMark).length !== 2) return refuse(`URL pattern must contain '${userNameMark}'.`)
  return isPageUrl(url_pattern.replace(userNameMark, "username"))
    ? Result.succeed(JSON.stringify({ subtype, url_pattern }))
    : refuse("url_pattern is not a URL")
}

/** The text that is kept of the data; empty for types that have none. */
export const readFieldData = (type: FieldType, data: JsonObject): Checked<string> => {
  if (type === fieldTypes.SELECT.id) return readChoices(data)
  return type === fieldTypes.EXTERNAL_ACCOUNT.id ? readAccount(data) : Result.succeed("")
}

/** The provider that the server knows, in the kept text of a field's data; undefined: it is another. */
export const defaultAccount = (type: FieldType, fieldData: string) => {
  if (type !== fieldTypes.EXTERNAL_ACCOUNT.id) return undefined
  const found = Object.entries(externalAccounts).find(([subtype]) => fieldData === JSON.stringify({ subtype }))
  return found?.[1]
}
