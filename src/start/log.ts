/**
 * The server's log on standard error: a line for each entry. In production a line is a JSON object, for programs that gather
 * logs; in development it is for people, and an error has some further lines. Nothing secret is in it: errors are told without
 * the values that they quote (error-text.ts), and the server's own secrets are taken out wherever they might stand. Made by
 * main.ts.
 */
import type * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import { CurrentLogAnnotations, MinimumLogLevel } from "effect/References"
import { ClientPresence } from "../fairness/client-presence.ts"
import type { Json } from "../json.ts"
import { causeText, errorText } from "./error-text.ts"

export type LogForm = "json" | "text"
export type LogFields = Readonly<Record<string, Json>>

/** As settings of an operator say them. */
export const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const
export type LogLevelName = keyof typeof levels

interface LogEntry {
  readonly time: Date
  readonly level: string
  readonly message: string
  readonly fields: LogFields
  /** What went wrong, in several lines; empty where nothing did. */
  readonly error: string
}

const longest = 16_000
const shortestSecret = 6
const longestSecret = 4000

const pad = (number: number, length = 2): string => String(number).padStart(length, "0")

const timeOfDay = (time: Date): string =>
  `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}.${pad(time.getMilliseconds(), 3)}`

/** Whatever a terminal might take for more than a text. */
const inOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")

const asText = ({ time, level, message, fields, error }: LogEntry): string => {
  const told = Object.entries(fields).map(([name, value]) => ` ${name}=${inOneLine(JSON.stringify(value))}`)
  const head = `${timeOfDay(time)} ${level.toUpperCase().padEnd(5)} ${inOneLine(message)}${told.join("")}`
  const below = error === "" ? [] : error.split("\n").map((line) => `    ${inOneLine(line)}`)
  return [head, ...below].join("\n")
}

const asJson = ({ time, level, message, fields, error }: LogEntry): string =>
  JSON.stringify({
    ...fields,
    time: time.toISOString(),
    level: level.toLowerCase(),
    message,
    ...(error === "" ? {} : { error }),
  })

const isJson = (value: unknown): value is Json =>
  value === null ||
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) ? value.every(isJson) : Predicate.isObject(value) && Object.values(value).every(isJson))

const fieldsOf = (annotations: Readonly<Record<string, unknown>>): LogFields => {
  const fields: Record<string, Json> = {}
  for (const [name, value] of Object.entries(annotations))
    if (value !== undefined) fields[name] = isJson(value) ? value : String(value)
  return fields
}

export interface ServerLog {
  /** For callbacks outside of Effect. */
  readonly say: (level: LogLevelName, message: string, fields?: LogFields) => void
  /** Keeps a text out of all later lines. */
  readonly hide: (secret: string) => void
  /** Has what effects log come here, from its level on. */
  readonly layer: Layer.Layer<never>
  /** What is written where lines were lost. */
  readonly dropped: (lines: number) => string
}

interface LogOptions {
  readonly form: LogForm
  readonly level: LogLevelName
  readonly secrets: ReadonlyArray<string>
  readonly write: (text: string) => void
  /** What each line has: which of several processes it is of. */
  readonly about?: LogFields
  readonly now?: () => Date
}

export const makeLog = ({
  form,
  level: least,
  secrets,
  write,
  about = {},
  now = () => new Date(),
}: LogOptions): ServerLog => {
  const hidden = new Set<string>()
  const hide = (secret: string): void => {
    // A shorter one is everywhere, and no secret.
    if (secret.length >= shortestSecret) hidden.add(secret).add(JSON.stringify(secret).slice(1, -1))
  }
  for (const secret of secrets) hide(secret)

  const clean = (text: string): string => {
    // Cut behind a secret that would lie across the end.
    let cleaned = text.slice(0, longest + longestSecret)
    for (const secret of hidden) cleaned = cleaned.replaceAll(secret, "***")
    return cleaned.slice(0, longest)
  }
  const cleanFields = (fields: LogFields): LogFields => {
    const text = JSON.stringify(fields)
    const isClean = [...hidden].every((secret) => !text.includes(secret))
    if (isClean) return fields
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        clean(Predicate.isString(value) ? value : JSON.stringify(value)),
      ]),
    )
  }

  const lineOf = (entry: LogEntry): string => {
    const { message, error } = entry
    const fields = { ...about, ...entry.fields }
    const cleaned = { ...entry, message: clean(message), error: clean(error), fields: cleanFields(fields) }
    return `${form === "json" ? asJson(cleaned) : asText(cleaned)}\n`
  }

  const isWanted = LogLevel.isGreaterThanOrEqualTo(levels[least])

  const logger = Logger.make<unknown, void>(({ message, logLevel, cause, fiber, date }) => {
    const { texts, errors } = divide(message, cause)
    const fields = { ...fiber.getRef(ClientPresence).about?.(), ...fiber.getRef(CurrentLogAnnotations) }
    write(lineOf({ time: date, level: logLevel, message: texts, fields: fieldsOf(fields), error: errors }))
  })

  return {
    hide,
    say: (level, message, fields = {}) => {
      if (isWanted(levels[level])) write(lineOf({ time: now(), level, message, fields, error: "" }))
    },
    layer: Layer.merge(Logger.layer([logger]), Layer.succeed(MinimumLogLevel, levels[least])),
    dropped: (lines) =>
      lineOf({
        time: now(),
        level: "warn",
        message: `${lines} lines of this log were dropped, because nothing took them`,
        fields: { lines },
        error: "",
      }),
  }
}

/** Of what was logged: texts are told as they are, all else is an error. */
const divide = (message: unknown, cause: Cause.Cause<unknown>) => {
  const parts = Array.isArray(message) ? message : [message]
  const isPlain = (part: unknown): part is string | number => Predicate.isString(part) || Predicate.isNumber(part)
  const errors = parts.filter((part) => !isPlain(part)).map((part) => errorText(part))
  if (cause.reasons.length > 0) errors.push(causeText(cause))
  return { texts: parts.filter(isPlain).join(" "), errors: errors.join("\n") }
}
