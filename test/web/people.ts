/** People, channels and groups of a state, made by hand. */
import type { Api } from "../../src/client/index.ts"
import type { PageChannel, PagePerson } from "../../src/web/state/model.ts"

const nobody = { direct_members: [], direct_subgroups: [] }

export const many = <Thing>(n: number, make: (id: number) => Thing): ReadonlyArray<Thing> =>
  Array.from({ length: n }, (_, at) => make(at + 1))

export const byId = <Thing extends { readonly id: number }>(things: ReadonlyArray<Thing>) =>
  new Map(things.map((thing) => [thing.id, thing]))

export const person = (id: number, name: string, change: Partial<PagePerson> = {}): PagePerson => ({
  id,
  name,
  email: `person${id}@example.com`,
  avatarUrl: null,
  role: 400,
  isBot: false,
  ownerId: null,
  isActive: true,
  timezone: "",
  fields: {},
  ...change,
})

export const crowd = (n: number) => byId(many(n, (id) => person(id, `Person ${String(id).padStart(3, "0")}`)))

export const channel = (id: number, name: string, change: Partial<PageChannel> = {}): PageChannel => ({
  id,
  name,
  description: "",
  isPrivate: false,
  isArchived: false,
  isSubscribed: true,
  isMuted: false,
  isPinned: false,
  color: "#7a8699",
  subscriberCount: 1,
  topicsPolicy: "inherit",
  permissions: {
    administer: nobody,
    post: nobody,
    addSubscribers: nobody,
    removeSubscribers: nobody,
    deleteAny: nobody,
    deleteOwn: nobody,
    moveWithin: nobody,
    moveOut: nobody,
  },
  ...change,
})

export const group = (id: number, name: string, change: Partial<Api.UserGroup> = {}): Api.UserGroup => ({
  id,
  name,
  description: "",
  members: [],
  direct_subgroup_ids: [],
  is_system_group: false,
  deactivated: false,
  creator_id: null,
  date_created: null,
  can_add_members_group: nobody,
  can_join_group: nobody,
  can_leave_group: nobody,
  can_manage_group: nobody,
  can_mention_group: nobody,
  can_remove_members_group: nobody,
  ...change,
})

/** Which people and groups hold the named permissions. */
export const holding = (permissions: Partial<PageChannel["permissions"]>): Pick<PageChannel, "permissions"> => ({
  permissions: { ...channel(0, "").permissions, ...permissions },
})
