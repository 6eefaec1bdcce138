/** The parameter `principals`: the users a request about subscriptions is for; without it, the requester. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked, noSuchUser } from "../../../api/errors.ts"
import { json, optional } from "../../../api/params.ts"
import { either, integer, list, string } from "../../../api/shapes.ts"
import { UserId } from "../../../ids.ts"
import { findUser, findUserByAddress } from "../../ground/realm/acquaintance/find-user.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"

/** The most users in one request. */
export const mostPrincipals = 10_000
/** The most channels in one request. */
export const mostNamed = 500
/** The most pairs of user and channel in one command: its plan takes 8 ms, all of its chunks five seconds. */
export const maxPairs = 25_000

export type Principals = ReadonlyArray<string> | ReadonlyArray<number> | undefined

const principalsShape = either(
  list(integer, mostPrincipals),
  list(string, mostPrincipals),
  "is not a list of integers or of strings",
)
/** As many addresses, most of which are shorter than 60 characters. */
export const principalsParam = optional(json("principals", principalsShape, { max: 600_000 }))

/** The users, each once. An unknown or deactivated user is an error. */
export const requirePrincipals = (
  realm: Realm,
  actor: UserRecord,
  principals: Principals,
): Checked<ReadonlyArray<UserRecord>> => {
  if (principals === undefined) return Result.succeed([actor])
  const found = new Map<number, UserRecord>()
  for (const each of principals) {
    const user = Predicate.isNumber(each) ? findUser(realm, actor, UserId(each)) : findUserByAddress(realm, actor, each)
    // System bots have addresses but no accounts, so they cannot be subscribed.
    if (user === undefined || !realm.users.has(user.id)) return Result.fail(noSuchUser())
    if (!realm.isActive(user.id)) return Result.fail(badRequest("User is deactivated"))
    found.set(user.id, user)
  }
  return Result.succeed([...found.values()])
}
