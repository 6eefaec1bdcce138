/**
 * The values of permissions that groups hold (contract 2.3, 6.12): read from requests, checked against what each setting
 * takes, compared, and shown. A value is a group's id or a list of people and groups; every value has one normal form,
 * so that equal permissions are equal texts.
 */
import * as Result from "effect/Result"
import { type ApiError, badRequest, expectationMismatch, systemGroupRequired } from "../../errors.ts"
import { GroupId, UserId } from "../../ids.ts"
import { json, type Param } from "../../params.ts"
import { either, id, list, object, optional, type Shape } from "../../shapes.ts"
import type { Choice } from "../realm/permission-choices.ts"
import type { Rules } from "../realm/rules.ts"
import { type GroupSetting, type SystemGroupName, sortedIds, systemGroupName, systemGroups } from "../realm/values.ts"

/** Sorted, without duplicates; one group alone is its id, and nobody at all the group of nobody. */
const normalSetting = (setting: GroupSetting): GroupSetting => {
  if (typeof setting === "number") return setting
  const direct_members = sortedIds(setting.direct_members)
  const direct_subgroups = sortedIds(setting.direct_subgroups)
  const [only] = direct_subgroups
  if (direct_members.length > 0 || direct_subgroups.length > 1) return { direct_members, direct_subgroups }
  return only ?? systemGroups["role:nobody"]
}

/** A value as clients see it: who is deactivated is kept, for the day they come back, and not shown. */
export const shownSetting = (setting: GroupSetting, isActive: (user: UserId) => boolean): GroupSetting =>
  typeof setting === "number" || setting.direct_members.every((id) => isActive(id))
    ? setting
    : normalSetting({ ...setting, direct_members: setting.direct_members.filter((id) => isActive(id)) })

/** All values of one record, each by its name. */
export const shownSettings = (
  settings: Readonly<Record<string, GroupSetting>>,
  isActive: (user: UserId) => boolean,
): Readonly<Record<string, GroupSetting>> =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, shownSetting(setting, isActive)]))

/** Of two normal values. */
export const isSameSetting = (a: GroupSetting, b: GroupSetting): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The people and groups that a value names itself. */
export const namedIn = (setting: GroupSetting) =>
  typeof setting === "number" ? { direct_members: [], direct_subgroups: [setting] } : setting

const mostNamed = 10_000

const settingShape: Shape<GroupSetting> = (value, path) =>
  Result.map(
    either(
      id(GroupId),
      object({ direct_members: list(id(UserId), mostNamed), direct_subgroups: list(id(GroupId), mostNamed) }),
      "is not an integer or a dict of direct_members and direct_subgroups",
    )(value, path),
    normalSetting,
  )

/** As requests change a value: `old` is what the requester believes it to be. */
export interface SettingUpdate {
  readonly new: GroupSetting
  readonly old: GroupSetting | undefined
}

const updateShape: Shape<SettingUpdate> = object({ new: settingShape, old: optional(settingShape) })

/** The bare value of something new. */
export const settingParam = (name: string): Param<GroupSetting> => json(name, settingShape)
export const settingUpdateParam = (name: string): Param<SettingUpdate> => json(name, updateShape)

/** Which system groups a setting takes, and the sentence about one that it does not. */
const systemGroupFault = (name: string, choice: Choice, group: SystemGroupName): ApiError | undefined => {
  const refused = badRequest(`'${name}' setting cannot be set to '${group}' group.`)
  if (choice.only !== undefined) return choice.only.includes(group) ? undefined : refused
  if (group === "role:internet") return refused
  if (group === "role:everyone" && choice.everyone !== true) return refused
  if (group === "role:nobody" && choice.nobody === false) return refused
  return choice.never?.includes(group) ? refused : undefined
}

/** Whether a setting may have a value: every group and user in it stands and is active, and the setting takes them. */
export const requireSetting = (
  rules: Rules,
  name: string,
  choice: Choice,
  value: GroupSetting,
): Result.Result<GroupSetting, ApiError> => {
  const { direct_members, direct_subgroups } = namedIn(value)
  for (const id of direct_subgroups) {
    const group = rules.groups.get(id)
    if (group === undefined) return Result.fail(badRequest("Invalid user group"))
    if (group.deactivated) return Result.fail(badRequest("User group is deactivated."))
    const system = systemGroupName(id)
    if (choice.only !== undefined && (system === undefined || typeof value !== "number"))
      return Result.fail(systemGroupRequired(name))
    const fault = system === undefined ? undefined : systemGroupFault(name, choice, system)
    if (fault !== undefined) return Result.fail(fault)
  }
  if (choice.only !== undefined && direct_members.length > 0) return Result.fail(systemGroupRequired(name))
  const unknown = direct_members.find((id) => !rules.isActive(id))
  return unknown === undefined ? Result.succeed(value) : Result.fail(badRequest(`Invalid user ID: ${unknown}`))
}

/**
 * The new value; undefined where it is the one that stands. Refused where `old` is not what is shown. Who sets what is
 * shown already, while somebody deactivated stands behind it, means it: nobody comes back into that permission.
 */
export const requireUpdate = (
  rules: Rules,
  name: string,
  choice: Choice,
  current: GroupSetting,
  update: SettingUpdate,
): Result.Result<GroupSetting | undefined, ApiError> => {
  const shown = shownSetting(current, rules.isActive)
  if (update.old !== undefined && !isSameSetting(update.old, shown)) return Result.fail(expectationMismatch("old"))
  if (isSameSetting(update.new, current)) return Result.succeed(undefined)
  return requireSetting(rules, name, choice, update.new)
}
