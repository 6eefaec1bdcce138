/** What a value of each type of profile field may be, and the text that is kept of it. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { lengthFault } from "../../../api/shapes.ts"
import { UserId } from "../../../ids.ts"
import { choicesOf, fieldTypes, type ProfileField } from "../../ground/profiles/profile-fields.ts"
import { findUser } from "../../ground/realm/acquaintance/find-user.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"

/** A value as requests have it: ids for a field of people, a text for all others; null or absent: none. */
export type ProfileInput = string | ReadonlyArray<number> | null | undefined

/** Characters, by the id of the type. */
const longestShort = 50
const longestLong = 500
const longestUrl = 2048
/** The most people that a field names. */
const mostPeople = 100

const wrong = (name: string, fault: string) => Result.fail(badRequest(`${name} ${fault}`))

/** A calendar day as `YYYY-MM-DD`. */
const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith("0000")) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/** An address of a page. Other schemes would let a value run scripts in the pages that link it. */
export const isPageUrl = (text: string): boolean => /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)

/** Who gives a value; the server itself may name everybody. */
export type ProfileEditor = UserRecord | "server"

const readPeople = (realm: Realm, giver: ProfileEditor, given: ProfileInput): Checked<string> => {
  if (given === null || given === undefined || Predicate.isString(given)) return wrong("User IDs", "is not a list")
  if (given.length > mostPeople) return wrong("User IDs", `is too long (limit: ${mostPeople} items)`)
  for (const id of given) {
    const user = giver === "server" ? realm.users.get(UserId(id)) : findUser(realm, giver, UserId(id))
    if (user === undefined) return Result.fail(badRequest(`Invalid user ID: ${id}`))
    if (!realm.isActive(user.id)) return Result.fail(badRequest(`User with ID ${id} is deactivated`))
    if (user.is_bot) return Result.fail(badRequest(`User with ID ${id} is a bot`))
  }
  return Result.succeed(JSON.stringify([...new Set(given)]))
}

const readText = ({ name, type }: ProfileField, text: string): Checked<string> => {
  const max = type === fieldTypes.LONG_TEXT.id ? longestLong : type === fieldTypes.URL.id ? longestUrl : longestShort
  const fault = lengthFault(text, { max })
  if (fault !== undefined) return wrong(name, fault)
  if (type === fieldTypes.DATE.id && !isDate(text)) return wrong(name, "is not a date")
  if (type === fieldTypes.URL.id && !isPageUrl(text)) return wrong(name, "is not a URL")
  return Result.succeed(text)
}

/** The text that is kept; null: none. */
export const readProfileValue = (
  realm: Realm,
  giver: ProfileEditor,
  field: ProfileField,
  given: ProfileInput,
): Checked<string | null> => {
  if (given === undefined || given === null || given.length === 0) return Result.succeed(null)
  if (field.type === fieldTypes.USER.id) return readPeople(realm, giver, given)
  if (!Predicate.isString(given)) return wrong(field.name, "is not a string")
  if (given.trim() === "") return Result.succeed(null)
  const choices = choicesOf(field)
  if (choices === null) return readText(field, given)
  return choices.has(given)
    ? Result.succeed(given)
    : Result.fail(badRequest(`'${given.slice(0, longestShort)}' is not a valid choice for '${field.name}'.`))
}

/** Whether values are shown as Markdown. */
export const isRendered = ({ type }: ProfileField): boolean =>
  type === fieldTypes.SHORT_TEXT.id || type === fieldTypes.LONG_TEXT.id
