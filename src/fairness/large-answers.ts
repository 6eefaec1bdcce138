/**
 * Room for large answers. An answer lies in memory until its client has read it, and clients may read slowly or not at
 * all: so what waits unread is bounded for the whole server, further large answers wait their turn, and each requester
 * has a few at a time. An answer that is being read slowly loses its room, and its connection, once others wait for it.
 * Asked by endpoints whose lists can be long, before they make the answer; exchange.ts ends the reservation.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { EndpointReply, ReplyMember, Reservation } from "../api/endpoint.ts"
import { type ApiError, type RequestFailure, rateLimited, serviceUnavailable, Unavailable } from "../api/errors.ts"
import { Clock, type ClockShape, type Timer } from "../clock.ts"
import { Config } from "../config/config.ts"
import { JsonMember, SharedPiece } from "../json-pieces.ts"
import { nextSlice } from "../slices.ts"
import { ClientPresence, type ClientWaiting } from "./client-presence.ts"
import { awaitTurn, FairTurns, type NoTurn, turnAtOnce } from "./fair-turns.ts"
import { Refusals, type RefusalsShape } from "./refusals.ts"

/** Answers up to this size need no room: connections are limited too. */
export const smallBytes = 64 * 1024

/** About how many bytes an answer has; `own`: without those that it shares with others, which are counted once for all. */
export type AnswerSize = number | { readonly whole: number; readonly own: number }

export interface LargeAnswersShape {
  /**
   * Makes an answer when there is room for it. Fails with 429 if too many of the requester's own answers wait, with 503
   * if too many wait in all or it took too long. If its client goes away meanwhile it is not made.
   */
  readonly answer: <E, R>(
    requester: string,
    size: AnswerSize,
    make: Effect.Effect<ReadonlyArray<ReplyMember | JsonMember>, E, R>,
    kind?: "visitor",
  ) => Effect.Effect<EndpointReply, E | RequestFailure, R>
  /**
   * Counts bytes of a requester that wait unread already. Undefined: there is no room for them, and their connection is
   * to be cut.
   */
  readonly note: (requester: string, bytes: number) => Reservation | undefined
  /**
   * Whether such bytes would find room now. While much of it is taken, only for requesters who take none: they are not
   * kept waiting by those who do not read.
   */
  readonly hasRoom: (requester: string) => boolean
}

export class LargeAnswers extends Context.Service<LargeAnswers, LargeAnswersShape>()("parley/LargeAnswers") {
  static readonly layer = Layer.effect(
    LargeAnswers,
    Effect.gen(function* () {
      const { limits } = yield* Config
      return makeLargeAnswers(yield* Clock, yield* Refusals, limits)
    }),
  )
}

interface AnswerLimits {
  readonly unreadBytes: number
  readonly largeAnswersPerUser: number
}

/** Milliseconds that a request waits for room. */
const waitMs = 30_000
/** Share of the bound that visitors have for themselves besides, however many there are: addresses cost nothing. */
const shareOfVisitors = 1 / 4
/** Milliseconds that an answer has to be read, even if others wait for its room; and those that it has at most. */
const undisturbedMs = 10_000
const longestMs = 120_000
/** Milliseconds between two looks for an answer that has had its time. */
const lookMs = 1_000
const ownerWaiting = 20
/** About as many registers as are answered while a request waits. */
const allWaiting = 4000
/** Most answers that are made at a time: each counts at least its part then, for all that is made beside it. */
const madeAtOnce = 32
/** Bytes that an answer counts at least, also once it is made. */
const leastCost = 128 * 1024
/**
 * Answers that were made without asking for room, such as those of polls, have as much again for themselves: whoever
 * collects them without reading keeps nobody from asking. One requester has this share of it.
 */
const shareOfOne = 1 / 8
/** Above this share they are cut when they have had their time. */
const crowdedShare = 1 / 2
/** Above this share nobody begins to make another one. */
const fullShare = 7 / 8

/** An answer that is being sent. */
interface UnreadAnswers {
  /** When it began, in milliseconds of the clock's running time. */
  readonly since: number
  readonly cut: () => void
  /** Whether others want its room. */
  readonly isWanted: () => boolean
}

export const makeLargeAnswers = (
  clock: ClockShape,
  refusals: RefusalsShape,
  { unreadBytes, largeAnswersPerUser }: AnswerLimits,
): LargeAnswersShape => {
  const limits = { perOwner: largeAnswersPerUser, ownerWaiting, allWaiting }
  const leastInMaking = unreadBytes / madeAtOnce
  const ofUsers = new FairTurns({ ...limits, capacity: unreadBytes })
  const ofVisitors = new FairTurns({ ...limits, capacity: shareOfVisitors * unreadBytes })
  /** The oldest first. */
  const unread = new Map<Reservation, UnreadAnswers>()
  let timer: Timer | undefined
  /** Bytes of answers that did not ask for room, in all and by requester. */
  let noted = 0
  const notedBy = new Map<string, number>()

  /** Cuts the answers that have had their time, the oldest first. */
  const look = (): void => {
    timer = undefined
    for (const [reservation, { since, cut, isWanted }] of unread) {
      if (clock.elapsed() - since <= (isWanted() ? undisturbedMs : longestMs)) continue
      cut()
      reservation.leave()
    }
    if (unread.size > 0) timer ??= clock.after(lookMs, look)
  }

  const reserve = (isWanted: () => boolean, leave: () => void): Reservation => {
    let isTaken = true
    const reservation: Reservation = {
      onCut: (cut) => {
        if (!isTaken) return
        unread.set(reservation, { since: clock.elapsed(), cut, isWanted })
        timer ??= clock.after(lookMs, look)
      },
      leave: () => {
        if (!isTaken) return
        isTaken = false
        unread.delete(reservation)
        if (unread.size === 0) {
          timer?.cancel()
          timer = undefined
        }
        leave()
      },
    }
    return reservation
  }

  const sharedAmongUsers = makeSharedBytes(ofUsers)
  const sharedAmongVisitors = makeSharedBytes(ofVisitors)

  const refusal = (requester: string, why: NoTurn): ApiError => {
    refusals.note(why === "owner-full" ? "large answers of a user" : "large answers in all", requester)
    return why === "owner-full"
      ? rateLimited(1, "Too many of your requests wait for large answers: read those first")
      : serviceUnavailable(1)
  }

  return {
    answer: Effect.fnUntraced(function* (requester, size, make, kind) {
      const { whole, own } = typeof size === "number" ? { whole: size, own: size } : size
      if (whole <= smallBytes)
        return { _tag: "Text", members: yield* Effect.flatMap(make, inPieces), reservation: null }
      const presence = yield* ClientPresence
      const [turns, shared] = kind === "visitor" ? [ofVisitors, sharedAmongVisitors] : [ofUsers, sharedAmongUsers]
      const wish = { owner: requester, cost: Math.max(leastInMaking, leastCost, own) }
      const waiting = Effect.mapError(awaitTurn(turns, clock, wish, waitMs), (why) => refusal(requester, why))
      // Mostly there is room: a race is two fibers.
      const turn = turnAtOnce(turns, wish) ?? (yield* Effect.raceFirst(waiting, untilGone(presence)))
      presence.onGone(() => {})
      let release = () => {}
      const reservation = reserve(
        () => turns.isShort,
        () => {
          turns.leave(turn)
          release()
        },
      )
      const inSlices = Effect.gen(function* () {
        yield* nextSlice
        if (presence.isGone()) return yield* Effect.fail(gone)
        return yield* Effect.flatMap(make, inPieces)
      })
      const members = yield* Effect.onError(inSlices, () => Effect.sync(reservation.leave))
      release = shared.hold(members, Math.max(leastCost, own) - turn.cost)
      return { _tag: "Text", members, reservation }
    }),
    hasRoom: (requester) => noted <= (notedBy.has(requester) ? crowdedShare : fullShare) * unreadBytes,
    note: (requester, bytes) => {
      const own = notedBy.get(requester) ?? 0
      const isOwnFull = own > 0 && own + bytes > shareOfOne * unreadBytes
      if (isOwnFull || (noted > 0 && noted + bytes > unreadBytes)) {
        refusals.note(isOwnFull ? "large answers of a user" : "large answers in all", requester)
        return undefined
      }
      noted += bytes
      notedBy.set(requester, own + bytes)
      const isCrowded = () => noted > crowdedShare * unreadBytes
      return reserve(isCrowded, () => {
        noted -= bytes
        const rest = (notedBy.get(requester) ?? 0) - bytes
        if (rest > 0) notedBy.set(requester, rest)
        else notedBy.delete(requester)
      })
    },
  }
}

const gone = new Unavailable({ reason: "the client has gone away" })

/** Fails when the client goes away. */
const untilGone = ({ isGone, onGone }: ClientWaiting): Effect.Effect<never, Unavailable> =>
  Effect.callback((resume) => {
    if (isGone()) resume(Effect.fail(gone))
    else onGone(() => resume(Effect.fail(gone)))
  })

/** Counts what answers hold, as far as it is not the cost of their turns: the pieces that they share, each once. */
const makeSharedBytes = (turns: FairTurns) => {
  const holders = new Map<SharedPiece, number>()
  return {
    /** `beside`: what else is to be counted, or no more. Answers what ends the holding. */
    hold: (members: ReadonlyArray<ReplyMember>, beside: number): (() => void) => {
      let added = 0
      const held: Array<SharedPiece> = []
      for (const piece of members.flatMap((each) => (typeof each === "string" ? [] : each))) {
        if (!(piece instanceof SharedPiece)) continue
        const known = holders.get(piece)
        if (known === undefined) added += piece.bytes.length
        holders.set(piece, 1 + (known ?? 0))
        held.push(piece)
      }
      turns.charge(beside + added)
      return () => {
        let freed = beside
        for (const piece of held) {
          const count = (holders.get(piece) ?? 1) - 1
          if (count > 0) holders.set(piece, count)
          else if (holders.delete(piece)) freed += piece.bytes.length
        }
        turns.charge(-freed)
      }
    },
  }
}

/** Encodes what is long, in slices. */
const inPieces = Effect.fnUntraced(function* (members: ReadonlyArray<ReplyMember | JsonMember>) {
  const made: Array<ReplyMember> = []
  for (const each of members) {
    if (each instanceof JsonMember) made.push(each.isShort ? each.text : yield* each.pieces)
    else made.push(typeof each === "string" && each.length > smallBytes ? [Buffer.from(each)] : each)
  }
  return made
})
