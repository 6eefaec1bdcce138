/**
 * Which people somebody may know of: whom lists show, and who hears of whom. The one place that decides it. Everybody in an
 * organization knows of everybody else in it: there is no setting that keeps people from that.
 */
import { type Audience, toRealm } from "../../../events/audience.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"

type Person = Pick<UserRecord, "id" | "role">

/** Whether the viewer may know that a person is there at all. */
export const mayKnow = (_realm: Realm, _viewer: Person, _user: Pick<UserRecord, "id">): boolean => true

/** Whether the viewer may know of everybody, so that they are answered what all others are. */
export const mayKnowAll = (_realm: Realm, _viewer: Person): boolean => true

/** The audience of a row about a person. */
export const acquaintances = (_realm: Realm, _user: Pick<UserRecord, "id">): Audience => toRealm
