/**
 * The commands of a list that only its owner sees (own-list.ts). Somebody else's item is refused as one that there is not.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../../api/endpoint.ts"
import type { Checked } from "../../../api/errors.ts"
import { type Conflict, conflict } from "../../../conflict.ts"
import { change, done, type Judgement, judgementOf, refused } from "../../../events/command.ts"
import { findStored } from "../kinds/section-store.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { submitAs, submitWithRecord } from "../requester/submit.ts"
import type { ItemFields, ItemValue, OwnList } from "./own-list.ts"
import { findItem } from "./own-list-store.ts"

/** The plan of a request, made of the organization as it is when its command is judged, or why it is refused. */
type PlanItem<A> = (realm: Realm, actor: UserRecord) => Checked<A>

/** The requester's list as register has it: all of a short one. `answerOwn` answers a long one. */
export const readOwn = <F extends ItemFields>({ section }: OwnList<F>, { realm, user }: Caller) =>
  Effect.map(findStored(section, realm, user), section.read)

/** Adds items, all or none; answers their ids. */
export const addOwn = <F extends ItemFields>(
  list: OwnList<F>,
  caller: Caller,
  plan: PlanItem<ReadonlyArray<ItemValue<F>>>,
) =>
  submitAs(caller, (realm, actor) =>
    judgementOf(plan(realm, actor), (values): Judgement<ReadonlyArray<number>> => {
      const answer = (ids: ReadonlyArray<number>) => ids
      return values.length === 0
        ? done([])
        : change(list.added(actor.id, values), {
            answer,
            refused: { full: refused(list.full), long: refused(list.long) },
          })
    }),
  )

/** Changes an item to what `plan` makes of its value. */
export const updateOwn = <F extends ItemFields>(
  list: OwnList<F>,
  caller: Caller,
  id: number,
  plan: (before: ItemValue<F>) => PlanItem<ItemValue<F>>,
) =>
  submitWithRecord(caller, findItem(list, caller, id), (item, realm, actor) => {
    if (item === undefined) return refused(list.gone)
    return judgementOf(plan(item.value)(realm, actor), (value): Judgement<undefined | Conflict> => {
      if (list.isSame(item, value)) return done(undefined)
      return change<undefined | Conflict>([list.updated(actor.id, item, value)], {
        answer: () => undefined,
        refused: { gone: refused(list.gone), overtaken: done(conflict), long: refused(list.long) },
      })
    })
  })

export const removeOwn = <F extends ItemFields>(list: OwnList<F>, caller: Caller, id: number) =>
  submitAs(caller, (_realm, actor) =>
    change([list.removed(actor.id, id)], { answer: () => undefined, refused: { gone: refused(list.gone) } }),
  )
