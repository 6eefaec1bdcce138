/**
 * Finds whom a message marks, before it is sent: its receivers as they are now, their groups and alert words, and, if it
 * mentions them, those who took part in its topic. Whether it may be sent, and who receives it, is judged later
 * (mark-candidates.ts); a message that is refused then has read a topic for nothing.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, requesterKind, requesterName } from "../../../api/endpoint.ts"
import { UserReads } from "../../../db/reads.ts"
import { emptyUserSet, type UserSet, userSet } from "../../../events/event.ts"
import { fold, readTopic } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import type { Mentions } from "../../text/markdown/context/rendered.ts"
import { alertWords } from "./alert-word-index.ts"
import { channelOf, type Destination, peopleOf, requireChannelToPost, requirePeople } from "./destination.ts"
import { gatherMarkCandidates, type MarkCandidates, mentionsNobody } from "./mark-candidates.ts"
import { findParticipants } from "./participants-store.ts"

const nobodyMarked = (mentions: Mentions): MarkCandidates => ({
  mentions,
  inGroups: emptyUserSet,
  alerted: emptyUserSet,
  participants: emptyUserSet,
})

interface SendPlace {
  /** null: a conversation. */
  readonly channel: ChannelRecord | null
  readonly receivers: UserSet
}

/** Finds the place where the message would go; fails where it will be refused. */
const findPlace = (realm: Realm, caller: Caller, { type, to }: Destination) =>
  Result.gen(function* () {
    const sender = yield* requireActor(realm, caller)
    if (type === "direct") {
      const people = yield* requirePeople(realm, sender, yield* peopleOf(to))
      const place: SendPlace = { channel: null, receivers: userSet(people.map(({ id }) => id)) }
      return place
    }
    const channel = yield* requireChannelToPost(realm, sender, yield* channelOf(to))
    const place: SendPlace = { channel, receivers: realm.subscribers(channel.id) }
    return place
  })

export const findMarkCandidates = Effect.fnUntraced(function* (
  caller: Caller,
  destination: Destination,
  text: { readonly content: string; readonly mentions: Mentions },
) {
  const { mentions } = text
  const { topic } = destination
  const { realm } = yield* (yield* Realms).get(caller.realm)
  if (mentionsNobody(mentions) && realm.part(alertWords).isEmpty) return nobodyMarked(mentions)
  const place = findPlace(realm, caller, destination)
  if (Result.isFailure(place)) return nobodyMarked(mentions)
  const { channel, receivers } = place.success
  const participants =
    channel === null || topic === undefined || !mentions.topicWildcard
      ? emptyUserSet
      : yield* findParticipants(
          (yield* UserReads).begin(requesterName(caller), requesterKind(caller)),
          realm.id,
          channel.id,
          fold(readTopic(topic.trim())),
        )
  return yield* gatherMarkCandidates(realm, text, receivers, userSet([...participants, caller.user]))
})
