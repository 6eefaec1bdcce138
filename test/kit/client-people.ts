/**
 * The part of ClientState about people, their settings and their organization: what events about them change in the
 * sections of a register, as a client writer would have it.
 */
import * as Predicate from "effect/Predicate"

export type Fields = Readonly<Record<string, unknown>>
export type Records = Map<number, Fields>

export const numbersIn = (value: unknown): ReadonlyArray<number> => {
  if (!Array.isArray(value) || !value.every(Predicate.isNumber)) throw new Error(`not a list of numbers: ${value}`)
  return value
}
export const without = (fields: Fields, ...names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** Takes a record from one list to the other. */
export const move = (id: number, from: Records | undefined, to: Records | undefined): void => {
  const record = from?.get(id)
  if (record === undefined || to === undefined) return
  from?.delete(id)
  to.set(id, record)
}

const flagsOf = (role: number): Fields => ({ is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 })

/** What one may do by one's role, as organizations of the tests have it. */
const ownFlagsOf = (role: number): Fields => ({
  ...flagsOf(role),
  is_moderator: role <= 300,
  can_create_streams: role <= 400,
  can_create_public_streams: role <= 400,
  can_create_private_streams: role <= 400,
})

export class PeopleState {
  readonly #user: number
  /** The sections that are no lists of records. */
  readonly #rest: Record<string, unknown>
  readonly #lists: ReadonlyMap<string, Records>

  constructor(user: number, rest: Record<string, unknown>, lists: ReadonlyMap<string, Records>) {
    this.#user = user
    this.#rest = rest
    this.#lists = lists
  }

  /** Sets what the register had; of a section that was not asked for nothing is kept. */
  #set(fields: Fields): void {
    for (const [name, value] of Object.entries(fields)) if (name in this.#rest) this.#rest[name] = value
  }

  #change(list: string, id: number, change: (record: Fields) => Fields): void {
    const records = this.#lists.get(list)
    const record = records?.get(id)
    if (record !== undefined) records?.set(id, change(record))
  }

  #changePerson(id: number, change: (record: Fields) => Fields): void {
    for (const list of ["realm_users", "realm_non_active_users"]) this.#change(list, id, change)
  }

  realmUser({ op, person }: Fields): void {
    if (!Predicate.isObject(person)) throw new Error("a realm_user event without a person")
    const { user_id, ...change } = { ...person }
    const id = Number(user_id)
    const [active, others] = [this.#lists.get("realm_users"), this.#lists.get("realm_non_active_users")]
    if (op === "add") active?.set(id, without({ ...person }, "is_active"))
    else if (change["is_active"] === false) move(id, active, others)
    else if (change["is_active"] === true) move(id, others, active)
    else if (Predicate.isNumber(change["role"])) this.#role(id, change["role"])
    else if (Predicate.isString(change["new_email"])) this.#email(id, change["new_email"])
    else this.#changePerson(id, (record) => ({ ...record, ...without(change, "avatar_source", "avatar_url_medium") }))
    if (id === this.#user) this.#set(without(change, "is_active", "role", "new_email"))
    if (Predicate.isBoolean(change["is_active"])) this.#change("realm_bots", id, (bot) => ({ ...bot, ...change }))
  }

  #role(id: number, role: number): void {
    this.#changePerson(id, (record) => ({ ...record, role, ...flagsOf(role) }))
    if (id === this.#user) this.#set(ownFlagsOf(role))
  }

  #email(id: number, email: string): void {
    this.#changePerson(id, (record) => ({ ...record, email }))
    if (id === this.#user) this.#set({ email })
  }

  /** The older copies at the top level have the same names. */
  userSettings({ property, value }: Fields): void {
    const settings = this.#rest["user_settings"]
    const change = { [String(property)]: value }
    if (Predicate.isObject(settings)) this.#rest["user_settings"] = { ...settings, ...change }
    this.#set(change)
  }

  userGroup({ op, group_id, user_ids }: Fields): void {
    this.#change("realm_user_groups", Number(group_id), (group) => {
      const members = new Set(numbersIn(group["members"]))
      for (const user of numbersIn(user_ids)) {
        if (op === "add_members") members.add(user)
        else members.delete(user)
      }
      return { ...group, members: [...members] }
    })
  }

  realm(event: Fields): void {
    const { op, property, value, data } = event
    if (op === "update") this.#set({ [`realm_${String(property)}`]: value })
    if (op !== "update_dict" || !Predicate.isObject(data)) return
    this.#set(Object.fromEntries(Object.entries(data).map(([name, each]) => [`realm_${name}`, each])))
    const methods = "authentication_methods" in data ? data["authentication_methods"] : undefined
    if (!Predicate.hasProperty(methods, "Email") || !Predicate.hasProperty(methods.Email, "enabled")) return
    const { enabled } = methods.Email
    this.#set({ realm_email_auth_enabled: enabled, realm_password_auth_enabled: enabled })
  }
}
