/** The codes that a route may answer, beside those that its own rules refuse with. Read by the description and by tests. */
import type { Route } from "./endpoint.ts"
import type { ErrorCode } from "./errors.ts"

/** Codes that every route may answer. */
const codesOfAll: ReadonlyArray<ErrorCode> = [
  "BAD_REQUEST",
  "REQUEST_TOO_LARGE",
  "RATE_LIMIT_HIT",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
  "UPGRADE_UNDER_WAY",
]

/** Further codes of routes that need an account; answered before the endpoint runs. */
const codesOfSigned: ReadonlyArray<ErrorCode> = ["UNAUTHORIZED", "NONEXISTENT_SUBDOMAIN"]

/** Every code that a route may answer. Codes for an unknown path or method are not a route's. */
export const errorCodes = ({
  access,
  path,
  params,
  errors,
}: Pick<Route<never>, "access" | "path" | "params" | "errors">): ReadonlySet<ErrorCode> => {
  const all = Object.values(params)
  // A path without its parameters is another path.
  const inPath = new Set(path.match(/(?<=\{)[a-z_]+/g))
  const mayLack = all.some(({ name, required }) => required && !inPath.has(name))
  const mayConfuse = all.some(({ aliases }) => aliases.length > 0)
  return new Set([
    ...codesOfAll,
    ...(access === "anyone" ? [] : codesOfSigned),
    ...(mayLack ? (["REQUEST_VARIABLE_MISSING"] as const) : []),
    ...(mayConfuse ? (["REQUEST_CONFUSING_VAR"] as const) : []),
    ...errors,
  ])
}
