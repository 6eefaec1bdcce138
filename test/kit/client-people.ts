/**
 * The part of ClientState about users, their settings, their groups and their organization: applies their events to the
 * sections of a register, as the author of a client would.
 */
import * as Predicate from "effect/Predicate"
import { type Fields, numbersIn, objectIn, objectsIn, type Sections, without } from "./client-sections.ts"

const flagsOf = (role: number): Fields => ({ is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 })

/**
 * The user's rights: a client computes them from the permissions and groups. Without these no event tells of changes.
 */
const rights = [
  "can_create_streams",
  "can_create_public_streams",
  "can_create_private_streams",
  "can_create_web_public_streams",
  "can_invite_others_to_realm",
]

export class PeopleState {
  readonly #user: number
  /**
   * Whether this client makes pictures from addresses (client_gravatar): its lists have null where it has the address.
   */
  readonly #hashes: boolean
  readonly #sections: Sections
  /** Whether its lists are without people of whom the user does not know (user_list_incomplete). */
  readonly #isIncomplete: boolean

  constructor(user: number, sections: Sections, hashes: boolean, isIncomplete: boolean) {
    this.#isIncomplete = isIncomplete
    this.#user = user
    this.#hashes = hashes
    this.#sections = sections
    if (!this.#knowsRights()) for (const name of rights) delete sections.rest[name]
  }

  #changePerson(id: number, change: (record: Fields) => Fields): void {
    for (const list of ["realm_users", "realm_non_active_users"] as const) this.#sections.change(list, id, change)
  }

  realmUser({ op, person }: Fields): void {
    const { user_id, ...change } = objectIn(person)
    const id = Number(user_id)
    const { is_active, role, new_email } = change
    if (op === "remove") return this.#unknown(id)
    if (op === "add") this.#sections.list("realm_users")?.set(id, without(objectIn(person), "is_active"))
    else if (is_active === false) {
      this.#presence(id, () => [])
      this.#sections.move(id, "realm_users", "realm_non_active_users")
    } else if (is_active === true) this.#sections.move(id, "realm_non_active_users", "realm_users")
    else if (Predicate.isNumber(role)) this.#role(id, role)
    else if (Predicate.isString(new_email)) this.#email(id, new_email)
    else if ("avatar_url" in change) this.#picture(id, change)
    else if ("custom_profile_field" in change) this.#profile(id, objectIn(change["custom_profile_field"]))
    else this.#changePerson(id, (record) => ({ ...record, ...change }))
    if (id === this.#user) this.#sections.set(without(change, "is_active", "role", "new_email"))
    if (Predicate.isBoolean(is_active) || Predicate.isString(change["full_name"]))
      this.#sections.change("realm_bots", id, (bot) => ({ ...bot, ...change }))
    const { bot_owner_id } = change
    if (bot_owner_id !== undefined)
      this.#sections.change("realm_bots", id, (bot) => ({ ...bot, owner_id: bot_owner_id }))
  }

  /**
   * A guest knows of somebody no more. A client that cannot do without them keeps a record without a name, as of all others whom
   * it does not know.
   */
  #unknown(id: number): void {
    this.#presence(id, () => [])
    this.#sections.list("realm_non_active_users")?.delete(id)
    const users = this.#sections.list("realm_users")
    users?.delete(id)
    const another = [...(users ?? [])].find(([, { full_name }]) => full_name === "Unknown user")?.[1]
    if (!this.#isIncomplete && another !== undefined) {
      const email = String(another["email"]).replace(/^user\d+@/, `user${id}@`)
      users?.set(id, { ...another, user_id: id, email })
    }
    const statuses = this.#sections.rest["user_status"]
    if (statuses !== undefined) this.#sections.set({ user_status: without(objectIn(statuses), String(id)) })
  }

  #role(id: number, role: number): void {
    this.#changePerson(id, (record) => ({ ...record, role, ...flagsOf(role) }))
    if (id === this.#user) this.#sections.set({ ...flagsOf(role), is_moderator: role <= 300 })
    this.#deriveRights()
  }

  #profile(id: number, { id: field, value, rendered_value }: Fields): void {
    this.#changePerson(id, (record) => {
      const others = without(objectIn(record["profile_data"]), String(field))
      const known = { value, ...(rendered_value === undefined ? {} : { rendered_value }) }
      return { ...record, profile_data: value === null ? others : { ...others, [String(field)]: known } }
    })
  }

  /** With a field go all of its values, and with a choice those that name it: no event tells of these. */
  profileFields({ fields }: Fields): void {
    this.#sections.set({ custom_profile_fields: fields })
    const choices = new Map(
      objectsIn(fields).map(({ id, type, field_data }) => [
        String(id),
        type === 3 ? Object.keys(objectIn(JSON.parse(String(field_data)))) : null,
      ]),
    )
    const isKept = ([field, { value }]: readonly [string, { readonly value: string }]) => {
      const known = choices.get(field)
      return known === null || known?.includes(value) === true
    }
    for (const list of ["realm_users", "realm_non_active_users"] as const)
      for (const id of [...(this.#sections.list(list)?.keys() ?? [])])
        this.#sections.change(list, id, (record) => {
          const { profile_data } = record
          if (profile_data === undefined) return record
          const values: ReadonlyArray<[string, { readonly value: string }]> = Object.entries(Object(profile_data))
          return { ...record, profile_data: Object.fromEntries(values.filter(isKept)) }
        })
  }

  #picture(id: number, { avatar_url, avatar_version }: Fields): void {
    this.#changePerson(id, (record) => {
      const isGravatar = String(avatar_url).startsWith("https://secure.gravatar.com/")
      const isMadeHere = this.#hashes && isGravatar && !String(record["email"]).startsWith(`user${id}@`)
      return { ...record, avatar_version, avatar_url: isMadeHere ? null : avatar_url }
    })
  }

  /** Changes somebody's presence, `[key, presence]`. Older clients have it by their address. */
  #presence(id: number, change: (key: string, presence: unknown) => ReadonlyArray<readonly [string, unknown]>): void {
    const { presences } = this.#sections.rest
    if (!Predicate.isObject(presences)) return
    const keys = [String(id), this.#sections.list("realm_users")?.get(id)?.["email"]]
    const changed = Object.entries(presences).flatMap(([key, presence]) =>
      keys.includes(key) ? change(key, presence) : [[key, presence] as const],
    )
    this.#sections.set({ presences: Object.fromEntries(changed) })
  }

  #email(id: number, email: string): void {
    this.#presence(id, (key, presence) => [[key.includes("@") ? email : key, presence]])
    this.#changePerson(id, (record) => ({ ...record, email }))
    if (id === this.#user) this.#sections.set({ email })
  }

  /** The event has only the fields that the bot's user record lacks; the API key comes with a register only. */
  realmBot({ op, bot }: Fields): void {
    const record = objectIn(bot)
    const id = Number(record["user_id"])
    const bots = this.#sections.list("realm_bots")
    if (op === "delete") bots?.delete(id)
    if (op === "update") return this.#sections.change("realm_bots", id, (known) => ({ ...known, ...record }))
    const active = this.#sections.list("realm_users")?.get(id)
    const person = active ?? this.#sections.list("realm_non_active_users")?.get(id)
    if (op === "delete" || person === undefined) return
    const { full_name, email, bot_type, bot_owner_id } = person
    bots?.set(id, { full_name, email, bot_type, owner_id: bot_owner_id, is_active: active !== undefined, ...record })
  }

  /** The older copies at the top level have the same names. */
  userSettings({ property, value }: Fields): void {
    const settings = this.#sections.rest["user_settings"]
    const change = { [String(property)]: value }
    if (Predicate.isObject(settings)) this.#sections.set({ user_settings: { ...settings, ...change } })
    this.#sections.set(change)
  }

  olderSetting({ setting_name, notification_name, setting }: Fields): void {
    this.#sections.set({ [String(setting_name ?? notification_name)]: setting })
  }

  /** Only what is passed changes; what is empty, and that somebody is not away, is left out. */
  userStatus({ user_id, type: _type, id: _id, ...changes }: Fields): void {
    const known = this.#sections.rest["user_status"]
    if (known === undefined) return
    const { [String(user_id)]: before, ...others } = objectIn(known)
    const status = { ...objectIn(before ?? {}), ...changes }
    const gone = changes["emoji_name"] === "" ? ["emoji_name", "emoji_code", "reaction_type"] : []
    if (changes["status_text"] === "") gone.push("status_text")
    if (changes["away"] === false) gone.push("away")
    const left = without(status, ...gone)
    const isNone = Object.keys(left).length === 0
    this.#sections.set({ user_status: isNone ? others : { ...others, [String(user_id)]: left } })
  }

  userGroup(event: Fields): void {
    const groups = this.#sections.list("realm_user_groups")
    if (groups === undefined) return
    const { op, group, group_id, data, user_ids, direct_subgroup_ids } = event
    if (op === "add") {
      const record = objectIn(group)
      groups.set(Number(record["id"]), record)
    } else {
      const id = Number(group_id)
      if (!groups.has(id)) throw new Error(`of a group that this client does not know: ${JSON.stringify(event)}`)
      if (op === "remove") groups.delete(id)
      else if (op === "update")
        this.#sections.change("realm_user_groups", id, (each) => ({ ...each, ...objectIn(data) }))
      else if (op === "add_members" || op === "remove_members")
        this.#turn(id, "members", user_ids, op === "add_members")
      else this.#turn(id, "direct_subgroup_ids", direct_subgroup_ids, op === "add_subgroups")
    }
    this.#deriveRights()
  }

  /** Adds ids to a list of a group, or removes them. */
  #turn(group: number, field: string, ids: unknown, isAdded: boolean): void {
    this.#sections.change("realm_user_groups", group, (record) => {
      const all = new Set(numbersIn(record[field]))
      for (const id of numbersIn(ids)) {
        if (isAdded) all.add(id)
        else all.delete(id)
      }
      return { ...record, [field]: [...all] }
    })
  }

  realm(event: Fields): void {
    const { op, property, value, data } = event
    if (op === "update") this.#sections.set({ [`realm_${String(property)}`]: value })
    if (op === "update_dict") {
      const changes = Object.entries(objectIn(data)).map(([name, each]) => [`realm_${name}`, each])
      this.#sections.set(Object.fromEntries(changes))
      this.#methods(objectIn(data)["authentication_methods"])
    }
    this.#deriveRights()
  }

  /** The older copies of the ways to sign in. */
  #methods(methods: unknown): void {
    if (!Predicate.hasProperty(methods, "Email") || !Predicate.hasProperty(methods.Email, "enabled")) return
    const byDirectory = Predicate.hasProperty(methods, "LDAP") ? objectIn(methods.LDAP)["enabled"] === true : false
    const { enabled } = methods.Email
    this.#sections.set({
      realm_email_auth_enabled: enabled,
      realm_password_auth_enabled: enabled === true || byDirectory,
    })
  }

  #knowsRights(): boolean {
    const { rest } = this.#sections
    return this.#sections.list("realm_user_groups") !== undefined && "realm_name" in rest && "is_guest" in rest
  }

  #deriveRights(): void {
    if (!this.#knowsRights()) return
    const { rest } = this.#sections
    const holds = (name: string) => rest["is_guest"] === false && this.#isIn(rest[`realm_${name}`], new Set())
    const may = (kind: string) => holds(`can_create_${kind}_channel_group`)
    const [isPublic, isPrivate] = [may("public"), may("private")]
    const isOffered =
      rest["server_web_public_streams_enabled"] === true && rest["realm_enable_spectator_access"] === true
    this.#sections.set({
      can_create_streams: isPublic || isPrivate,
      can_create_public_streams: isPublic,
      can_create_private_streams: isPrivate,
      can_create_web_public_streams: isOffered && may("web_public"),
      can_invite_others_to_realm: holds("can_invite_users_group"),
    })
  }

  /** Whether a permission's value, or a group, includes this client's user. `seen`: the groups visited before. */
  #isIn(value: unknown, seen: Set<number>): boolean {
    if (Predicate.isNumber(value)) {
      const group = this.#sections.list("realm_user_groups")?.get(value)
      if (group === undefined || group["deactivated"] === true || seen.has(value)) return false
      seen.add(value)
      return this.#isIn({ direct_members: group["members"], direct_subgroups: group["direct_subgroup_ids"] }, seen)
    }
    const { direct_members, direct_subgroups } = objectIn(value)
    return (
      numbersIn(direct_members).includes(this.#user) || numbersIn(direct_subgroups).some((id) => this.#isIn(id, seen))
    )
  }
}
