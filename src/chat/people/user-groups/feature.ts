import { defineFeature } from "../../feature.ts"
import { userGroupKind } from "./group-event.ts"
import { userGroupsSection } from "./group-lists.ts"
import { deactivateUserGroup } from "./user-group-deactivate.ts"
import { groupMembers } from "./user-group-items.ts"
import { postUserGroupMembers, postUserGroupSubgroups } from "./user-group-members.ts"
import { patchUserGroup, postUserGroups } from "./user-groups.ts"
import { getIsUserGroupMember, getUserGroupMembers, getUserGroupSubgroups, getUserGroups } from "./user-groups-read.ts"

export const userGroupsFeature = defineFeature({
  area: "people",
  name: "user-groups",
  about:
    "groups, their members and subgroups; `membership-rows`: the rows about groups when users are created, deactivated, reactivated or change their role",
  chapter: "user-groups",
  endpoints: [
    getUserGroups,
    postUserGroups,
    patchUserGroup,
    deactivateUserGroup,
    getUserGroupMembers,
    postUserGroupMembers,
    getIsUserGroupMember,
    getUserGroupSubgroups,
    postUserGroupSubgroups,
  ],
  kinds: [userGroupKind],
  sections: [userGroupsSection],
  bulk: [groupMembers],
})
