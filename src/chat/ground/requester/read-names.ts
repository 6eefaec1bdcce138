/** Checks and cleans the names of users, channels and groups, and descriptions; the refusal says what is wrong. */
import { domainToASCII, domainToUnicode } from "node:url"
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import type { Limits } from "../../../config/config.ts"
import { badCharacterAt, fold, isInvisible, isLongerThan } from "../realm/domain-values.ts"

const maxUserNameLength = 100
const badUserName = /[*`\\>"@]/
const maxEmailLength = 254
const emailShape = /^[^\s@,<>"]+@[^\s@,<>"]+$/

/** The name of a channel or a folder. `what`: the noun that the refusal begins with. */
export const readNameOf = (what: string, raw: string, limits: Limits): Checked<string> => {
  const name = raw.trim()
  if (isInvisible(name)) return Result.fail(badRequest(`${what} name can't be empty.`))
  if (isLongerThan(name, limits.maxChannelNameLength))
    return Result.fail(badRequest(`${what} name too long (limit: ${limits.maxChannelNameLength} characters).`))
  const at = badCharacterAt(name)
  return at === undefined
    ? Result.succeed(name)
    : Result.fail(badRequest(`Invalid character in ${what.toLowerCase()} name, at position ${at}.`))
}

export const readChannelName = (raw: string, limits: Limits): Checked<string> => readNameOf("Channel", raw, limits)

/** A description, its lines joined to one. */
export const readChannelDescription = (raw: string, limits: Limits): Checked<string> => {
  const most = limits.maxChannelDescriptionLength
  const tooLong = () => Result.fail(badRequest(`description is too long (limit: ${most} characters)`))
  // Whatever its lines are: a megabyte of them takes 40 ms to clean.
  if (isLongerThan(raw, 2 * most)) return tooLong()
  const lines = raw.split("\n").map((line) => line.trim())
  const description = lines.filter((line) => line !== "").join(" ")
  return isLongerThan(description, most) ? tooLong() : Result.succeed(description)
}

export const readUserName = (raw: string): Checked<string> => {
  const name = raw.trim()
  if (isInvisible(name)) return Result.fail(badRequest("Name too short!"))
  if (isLongerThan(name, maxUserNameLength)) return Result.fail(badRequest("Name too long!"))
  // A mention names one of several who have a name by `|` and their id.
  if (/\|\d+$/.test(name)) return Result.fail(badRequest("Invalid format!"))
  return badUserName.test(name) || badCharacterAt(name) !== undefined
    ? Result.fail(badRequest("Invalid characters in name!"))
    : Result.succeed(name)
}

const maxGroupNameLength = 100
/** Group names cannot begin with these: mentions do, and the names of system groups. */
const reservedPrefixes = ["@", "role:", "user:", "stream:", "channel:"]

export const readGroupName = (raw: string): Checked<string> => {
  const name = raw.trim()
  if (isInvisible(name)) return Result.fail(badRequest("User group name can't be empty!"))
  if (isLongerThan(name, maxGroupNameLength))
    return Result.fail(badRequest(`User group name cannot exceed ${maxGroupNameLength} characters.`))
  const prefix = reservedPrefixes.find((each) => fold(name).startsWith(each))
  if (prefix !== undefined) return Result.fail(badRequest(`User group name cannot start with '${prefix}'.`))
  const at = badCharacterAt(name)
  return at === undefined
    ? Result.succeed(name)
    : Result.fail(badRequest(`Invalid character in user group name, at position ${at}.`))
}

/** Whether a mail goes where it says: letters like `ﬀ` and `ℯ` are others in the name of a host, and some are left out. */
const isPlainHost = (email: string): boolean => {
  const host = email.slice(email.lastIndexOf("@") + 1).toLowerCase()
  return /^[\x21-\x7e]+$/.test(host) || domainToUnicode(domainToASCII(host)) === host.normalize("NFC")
}

export const readEmail = (raw: string): Checked<string> => {
  const email = raw.trim()
  const isShaped = email.length <= maxEmailLength && emailShape.test(email) && badCharacterAt(email) === undefined
  return isShaped && isPlainHost(email)
    ? Result.succeed(email)
    : Result.fail(badRequest("Enter a valid email address."))
}
