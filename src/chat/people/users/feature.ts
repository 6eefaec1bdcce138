import { defineFeature } from "../../feature.ts"
import { accountStateKind, olderSettingKinds, userSettingsKind } from "./account-kinds.ts"
import { postUsers } from "./create-user.ts"
import { exportConsentKind } from "./export-consent-event.ts"
import { initialHistoryKind } from "./initial-history.ts"
import { patchUser, patchUserByEmail } from "./patch-user.ts"
import { realmUserKind } from "./people-event.ts"
import { peopleSection } from "./people-section.ts"
import { reactivateUser } from "./reactivate.ts"
import { lowerBotRolesJob } from "./roles/lower-bot-roles.ts"
import { patchSettingsDefaults, settingsDefaultsKind } from "./settings/settings-defaults.ts"
import { settingsEndpoints } from "./settings.ts"
import { settingsDefaultsSection, settingsSections } from "./settings-section.ts"
import { unknownPicturePages } from "./unknown-picture.ts"
import { getOwnUser, getUser, getUserByEmail, getUsers } from "./users-read.ts"
import { postZcommand } from "./zcommand.ts"

export const usersFeature = defineFeature({
  area: "people",
  name: "users",
  about: "people: lists, making, roles, coming and going, settings",
  chapter: "users",
  endpoints: [
    getUsers,
    postUsers,
    getOwnUser,
    ...settingsEndpoints,
    patchSettingsDefaults,
    getUser,
    getUserByEmail,
    patchUser,
    patchUserByEmail,
    reactivateUser,
    postZcommand,
  ],
  kinds: [
    initialHistoryKind,
    realmUserKind,
    userSettingsKind,
    ...olderSettingKinds.map(({ kind }) => kind),
    accountStateKind,
    settingsDefaultsKind,
    exportConsentKind,
  ],
  sections: [...settingsSections, settingsDefaultsSection, peopleSection],
  jobs: [lowerBotRolesJob],
  pages: unknownPicturePages,
})
