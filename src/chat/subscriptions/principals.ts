/** Whom a request about subscriptions means: its `principals`, by id or by address, or the requester alone. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type ApiError, badRequest, noSuchUser } from "../../errors.ts"
import { UserId } from "../../ids.ts"
import { json, optional } from "../../params.ts"
import { either, integer, list, string } from "../../shapes.ts"
import { findUserByAddress } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"

/** People named in one request. */
export const mostPrincipals = 10_000
/** Channels named in one request. */
export const mostNamed = 500
/** Pairs of user and channel in one command: they take about twenty seconds. */
export const maxPairs = 100_000

export type Principals = ReadonlyArray<string> | ReadonlyArray<number> | undefined

const principalsShape = either(
  list(integer, mostPrincipals),
  list(string, mostPrincipals),
  "is not a list of integers or of strings",
)
export const principalsParam = optional(json("principals", principalsShape))

/** Each of them once; unknown and deactivated ones are errors. */
export const requirePrincipals = (
  realm: Realm,
  actor: UserRecord,
  principals: Principals,
): Result.Result<ReadonlyArray<UserRecord>, ApiError> => {
  if (principals === undefined) return Result.succeed([actor])
  const found = new Map<number, UserRecord>()
  for (const each of principals) {
    const user = Predicate.isNumber(each) ? realm.users.get(UserId(each)) : findUserByAddress(realm, actor, each)
    // A bot of the program has an address, and is nobody that could be subscribed.
    if (user === undefined || !realm.users.has(user.id)) return Result.fail(noSuchUser())
    if (!realm.isActive(user.id)) return Result.fail(badRequest("User is deactivated"))
    found.set(user.id, user)
  }
  return Result.succeed([...found.values()])
}
