/**
 * The values of permissions: reading them from requests, checking them against what each permission allows, comparing
 * and showing them. A value is a group's id, or a list of users and groups. Every value has one normal form, so that
 * equal values are equal texts.
 */
import * as Result from "effect/Result"
import {
  type ApiError,
  badRequest,
  type Checked,
  expectationMismatch,
  systemGroupRequired,
} from "../../../api/errors.ts"
import { json, type Param } from "../../../api/params.ts"
import { either, id, list, object, optional, type Shape, turned } from "../../../api/shapes.ts"
import { GroupId, UserId } from "../../../ids.ts"
import {
  type GroupSetting,
  type SystemGroupName,
  sortedIds,
  systemGroupName,
  systemGroups,
} from "../realm/domain-values.ts"
import type { PermissionChoice } from "../realm/permission-choices.ts"
import type { Rules } from "../realm/realm-rules.ts"

/** The normal form: sorted, without duplicates; a single group is its id, and an empty list is the group "nobody". */
const normalSetting = (setting: GroupSetting): GroupSetting => {
  if (typeof setting === "number") return setting
  const direct_members = sortedIds(setting.direct_members)
  const direct_subgroups = sortedIds(setting.direct_subgroups)
  const [only] = direct_subgroups
  if (direct_members.length > 0 || direct_subgroups.length > 1) return { direct_members, direct_subgroups }
  return only ?? systemGroups["role:nobody"]
}

/** A value as clients see it, without deactivated users. They stay in the stored value, in case they come back. */
export const shownSetting = (setting: GroupSetting, isActive: (user: UserId) => boolean): GroupSetting =>
  typeof setting === "number" || setting.direct_members.every((id) => isActive(id))
    ? setting
    : normalSetting({ ...setting, direct_members: setting.direct_members.filter((id) => isActive(id)) })

/** All permissions of a record as clients see them, by their names. */
export const shownSettings = (
  settings: Readonly<Record<string, GroupSetting>>,
  isActive: (user: UserId) => boolean,
): Readonly<Record<string, GroupSetting>> =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, shownSetting(setting, isActive)]))

/** Whether two values in normal form are equal. */
export const isSameSetting = (a: GroupSetting, b: GroupSetting): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The users and groups that a value names directly, in the form of a list. */
export const namedMembers = (setting: GroupSetting) =>
  typeof setting === "number" ? { direct_members: [], direct_subgroups: [setting] } : setting

/** For more there are groups. A request may have a dozen permissions, each with an old and a new value. */
const mostNamed = 1000

const settingShape: Shape<GroupSetting> = turned(
  either(
    id(GroupId),
    object({ direct_members: list(id(UserId), mostNamed), direct_subgroups: list(id(GroupId), mostNamed) }),
    "is not an integer or a dict of direct_members and direct_subgroups",
  ),
  normalSetting,
)

/** A change of a value in a request. `old`: the value that the requester believes to be the present one. */
export interface PermissionUpdate {
  readonly new: GroupSetting
  readonly old: GroupSetting | undefined
}

const updateShape: Shape<PermissionUpdate> = object({ new: settingShape, old: optional(settingShape) })

/** The parameter for a permission of a new record: only a value. */
export const permissionParam = (name: string): Param<GroupSetting> => json(name, settingShape)
export const permissionUpdateParam = (name: string): Param<PermissionUpdate> => json(name, updateShape)

/** The refusal of a system group that a permission does not allow; undefined if it does. */
const systemGroupFault = (name: string, choice: PermissionChoice, group: SystemGroupName): ApiError | undefined => {
  const refused = badRequest(`'${name}' setting cannot be set to '${group}' group.`)
  if (choice.only !== undefined) return choice.only.includes(group) ? undefined : refused
  if (group === "role:internet") return refused
  if (group === "role:everyone" && choice.everyone !== true) return refused
  if (group === "role:nobody" && choice.nobody === false) return refused
  return choice.never?.includes(group) ? refused : undefined
}

/** Checks a value: its users and groups must exist and be active, and the permission must allow them. */
export const requirePermissionValue = (
  rules: Rules,
  name: string,
  choice: PermissionChoice,
  value: GroupSetting,
): Checked<GroupSetting> => {
  const { direct_members, direct_subgroups } = namedMembers(value)
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
 * The new value; undefined if it equals the stored one. Refused if `old` is not the value that clients see. If the new
 * value equals the one that clients see, but the stored one has deactivated users too, these lose the permission.
 */
export const requirePermissionUpdate = (
  rules: Rules,
  name: string,
  choice: PermissionChoice,
  current: GroupSetting,
  update: PermissionUpdate,
): Checked<GroupSetting | undefined> => {
  const shown = shownSetting(current, rules.isActive)
  if (update.old !== undefined && !isSameSetting(update.old, shown)) return Result.fail(expectationMismatch("old"))
  if (isSameSetting(update.new, current)) return Result.succeed(undefined)
  return requirePermissionValue(rules, name, choice, update.new)
}
