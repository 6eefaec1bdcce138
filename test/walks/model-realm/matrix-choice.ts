/**
 * Chooses which users send the request of a row of the permission matrix, and about which channels. A user has a role
 * and a holding (in which way they hold a permission, and whether they are subscribed); a channel has a setting (the
 * permission that some users hold there) and a kind. `all`: every user for every setting, the kinds in turn. `half`:
 * every holding for every setting, but only half of the roles, the other half for the next setting and row. `pairs`:
 * every pair of role, holding, setting and kind occurs once, combined differently in each row; enough for a rule that
 * another row tests more fully. A quick run sends every other request.
 */
import { pairwise } from "../../kit/pairwise.ts"
import { some } from "../../kit/share.ts"
import { type Actor, kinds, type Scene } from "./matrix-scene.ts"
import type { Channel, Group } from "./state.ts"

export type Share = "all" | "half" | "pairs"

interface Choice {
  readonly share: Share
  /** The combinations to choose from. It must depend on the actor alone or on the channel alone. */
  readonly among?: (actor: Actor, channel: Channel) => boolean
}

/** The list rotated by `by`, so that the greedy choice from it differs from row to row. */
const turned = <A>(list: ReadonlyArray<A>, by: number): ReadonlyArray<A> => {
  const at = list.length === 0 ? 0 : by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}

const distinct = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(list)]

const sortOf = ({ user, way, membership }: Actor): string => user.name.replace(`-${way}-${membership}`, "")
const holdingOf = ({ way, membership }: Actor): string => `${way} ${membership}`

/** False for bots that have their rights from their owner: they have only one holding, so they are not paired. */
const holdsItself = ({ user }: Actor): boolean => !user.name.startsWith("bot-of-")

const everyOther = <A>(list: ReadonlyArray<A>, from: number): ReadonlyArray<A> =>
  list.filter((_, at) => (at + from) % 2 === 0)

/** Whether an actor is in the half that is chosen for the setting (or group) with index `at`. */
const halving = (actors: ReadonlyArray<Actor>, row: number) => {
  const [sorts, holdings] = [distinct(actors.map(sortOf)), distinct(actors.map(holdingOf))]
  return (actor: Actor, at: number): boolean =>
    (sorts.indexOf(sortOf(actor)) + holdings.indexOf(holdingOf(actor)) + at + row) % 2 === 0
}

/** The scene's channels in lists of one setting each, with all kinds; archived channels have lists of their own. */
const bySetting = (channels: ReadonlyArray<Channel>): ReadonlyArray<ReadonlyArray<Channel>> =>
  Array.from({ length: channels.length / kinds.length }, (_, at) =>
    channels.slice(at * kinds.length, (at + 1) * kinds.length),
  )

const thorough = (
  actors: ReadonlyArray<Actor>,
  settings: ReadonlyArray<ReadonlyArray<Channel>>,
  row: number,
  isHalf: boolean,
): ReadonlyArray<readonly [Channel | undefined, Actor | undefined]> => {
  const isChosen = halving(actors, row)
  return actors.flatMap((actor, a) =>
    settings.flatMap((channels, s): ReadonlyArray<readonly [Channel | undefined, Actor]> => {
      if (isHalf && !isChosen(actor, s)) return []
      return [[channels[(a + s + Math.floor(a / kinds.length) + row) % channels.length], actor]]
    }),
  )
}

const pairs = (
  actors: ReadonlyArray<Actor>,
  settings: ReadonlyArray<ReadonlyArray<Channel>>,
  row: number,
): ReadonlyArray<readonly [Channel | undefined, Actor | undefined]> =>
  pairwise({
    setting: turned(settings, row),
    holding: turned(distinct(actors.map(holdingOf)), row),
    sort: turned(distinct(actors.map(sortOf)), row),
    kind: turned(distinct(settings.flatMap((channels) => channels.map((_, kind) => kind))), row),
  }).map(({ setting, holding, sort, kind }) => [
    setting[kind],
    actors.find((actor) => sortOf(actor) === sort && holdingOf(actor) === holding),
  ])

/** Of the requests of a list those that this run sends. */
export const sent = <A>(requests: ReadonlyArray<A>, name: string): ReadonlyArray<A> => some(requests, 3, name)

const requestsOf = (
  { share, among = () => true }: Choice,
  scene: Scene,
  row: number,
): ReadonlyArray<readonly [Channel, Actor]> => {
  const actors = scene.actors.filter((actor) => scene.channels.some((channel) => among(actor, channel)))
  const settings = bySetting(scene.channels)
    .map((channels) => channels.filter((channel) => scene.actors.some((actor) => among(actor, channel))))
    .filter((channels) => channels.length > 0)
  const chosen = new Map<Channel, Set<Actor>>()
  const add = (channel: Channel | undefined, actor: Actor | undefined) => {
    if (channel === undefined || actor === undefined) return
    chosen.set(channel, (chosen.get(channel) ?? new Set()).add(actor))
  }
  if (share !== "pairs")
    for (const [channel, actor] of thorough(actors, settings, row, share === "half")) add(channel, actor)
  else {
    for (const [channel, actor] of pairs(actors.filter(holdsItself), settings, row)) add(channel, actor)
    for (const [n, actor] of actors.filter((each) => !holdsItself(each)).entries())
      for (const channels of everyOther(settings, n)) add(channels[(row + n) % channels.length], actor)
  }
  return [...chosen].flatMap(([channel, some]) => [...some].map((actor) => [channel, actor] as const))
}

/** The actors who send the request about each channel; `row`: the number of the row. */
export const choose = (choice: Choice, scene: Scene, row: number): ReadonlyMap<Channel, ReadonlyArray<Actor>> => {
  const chosen = new Map<Channel, Array<Actor>>()
  for (const [channel, actor] of sent(requestsOf(choice, scene, row), `channels, ${row}`)) {
    const known = chosen.get(channel)
    if (known === undefined) chosen.set(channel, [actor])
    else known.push(actor)
  }
  return chosen
}

const requestsOfGroups = (
  { share }: { readonly share: Share },
  { actors, groups }: Scene,
  row: number,
): ReadonlyArray<readonly [Group, Actor]> => {
  const asking = actors.filter(({ membership }) => membership === "never")
  const isChosen = halving(asking, row)
  if (share !== "pairs")
    return groups.flatMap(({ group }, g) =>
      asking.filter((actor) => share === "all" || isChosen(actor, g)).map((actor) => [group, actor] as const),
    )
  const regular = asking.filter(holdsItself)
  const chosen = pairwise({
    group: turned(groups, row),
    way: turned(distinct(regular.map(({ way }) => way)), row),
    sort: turned(distinct(regular.map(sortOf)), row),
  }).flatMap(({ group, way, sort }) =>
    regular
      .filter((actor) => actor.way === way && sortOf(actor) === sort)
      .map((actor) => [group.group, actor] as const),
  )
  const owned = asking
    .filter((actor) => !holdsItself(actor))
    .flatMap((actor, n) => everyOther(groups, n).map(({ group }) => [group, actor] as const))
  return [...chosen, ...owned]
}

/** As `choose`, for groups: pairs of role, way of holding and group. */
export const chooseOfGroups = (
  choice: { readonly share: Share },
  scene: Scene,
  row: number,
): ReadonlyArray<readonly [Group, Actor]> => sent(requestsOfGroups(choice, scene, row), `groups, ${row}`)
