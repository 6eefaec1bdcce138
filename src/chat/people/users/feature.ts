import { room } from "../../room.ts"
import { accountStateKind, olderSettingKinds, userSettingsKind } from "./account-kinds.ts"
import { exportConsentKind } from "./export-consent-event.ts"
import { givenHistoryKind } from "./given-history.ts"
import { patchUser, patchUserByEmail } from "./patch-user.ts"
import { realmUserKind } from "./people-event.ts"
import { peopleSection } from "./people-section.ts"
import { reactivateUser } from "./reactivate.ts"
import { lowerBotsJob } from "./roles/lower-bots.ts"
import { patchSettingsDefaults, settingsDefaultsKind } from "./settings/settings-defaults.ts"
import { settingsEndpoints } from "./settings.ts"
import { settingsDefaultsSection, settingsSections } from "./settings-section.ts"
import { unknownPicturePages } from "./unknown-picture.ts"
import { postUsers } from "./users.ts"
import { getOwnUser, getUser, getUserByEmail, getUsers } from "./users-read.ts"
import { postZcommand } from "./zcommand.ts"

export const usersRoom = room({
  wing: "people",
  name: "users",
  about: "people: lists, making, roles, coming and going, settings",
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
    givenHistoryKind,
    realmUserKind,
    userSettingsKind,
    ...olderSettingKinds.map(({ kind }) => kind),
    accountStateKind,
    settingsDefaultsKind,
    exportConsentKind,
  ],
  sections: [...settingsSections, settingsDefaultsSection, peopleSection],
  jobs: [lowerBotsJob],
  pages: unknownPicturePages,
})
