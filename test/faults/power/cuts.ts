/** Cuts the power of a recorded history at many moments, and checks what each cut may have left. */
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Dice } from "../kill/dice.ts"
import { Disk } from "./disk.ts"
import type { History } from "./history.ts"
import { checkImage, type Found, type Promised } from "./image-check.ts"
import { type Note, readJournal } from "./journal.ts"
import { isBefore, type Moment } from "./recorded-server.ts"

export interface Cut extends Found {
  /** Which of the images of this history. */
  readonly image: number
  readonly moment: Moment
  /** Messages acknowledged by then. */
  readonly acknowledged: number
}

export interface Cutting {
  readonly history: History
  /** The folder in which an image is made and opened; does not exist. */
  readonly folder: string
  readonly images: number
  readonly dice: Dice
  /** The folder for copies of images with faults; undefined: none are kept. */
  readonly keep?: string | undefined
}

const isOfFiles = ({ change: { kind } }: Note): boolean => !["write", "open", "sync"].includes(kind)

interface Placed extends Note {
  readonly moment: Moment
}

/**
 * The moments are spread evenly over the runs; a quarter of a run's are in its start. A third of them is at changes of
 * every kind, a third at syncs, and a third where files come, go, and change their length.
 */
const chooseMoments = (
  notes: ReadonlyArray<Placed>,
  served: ReadonlyArray<Moment>,
  count: number,
  dice: Dice,
): ReadonlyArray<number> => {
  const kinds = [() => true, ({ change }: Note) => change.kind === "sync", isOfFiles]
  // A life without sync has none.
  const placesOf = (run: Moment, isStart: boolean): ReadonlyArray<ReadonlyArray<number>> =>
    kinds
      .map((isWanted) =>
        notes.flatMap((note, n) =>
          note.moment.run === run.run && isBefore(note.moment, run) === isStart && isWanted(note) ? [n] : [],
        ),
      )
      .filter((places) => places.length > 0)
  const runs = served.map((run) => ({ start: placesOf(run, true), life: placesOf(run, false) }))
  const moments = Array.from({ length: count }, (_, n) => {
    const { start, life } = dice.pick(runs)
    const places = dice.chance(0.25) ? start : life
    const near = dice.pick(places[n % places.length] ?? [])
    return Math.min(notes.length, near + dice.between(0, 2))
  })
  return moments.sort((a, b) => a - b)
}

const readNotes = ({ runs }: History): ReadonlyArray<Placed> =>
  runs.flatMap(({ journal }, run) =>
    readJournal(journal).map((note) => ({ ...note, moment: { run, length: note.end } })),
  )

const promisedAt = ({ known, owner, mark }: History, moment: Moment): Promised => {
  const names = (kind: "message" | "queue") =>
    known.filter((each) => each.kind === kind && isBefore(each.from, moment)).map(({ name }) => name)
  return { messages: names("message"), queues: names("queue"), owner, mark }
}

/** The cuts in the order of their moments. */
export const cutPower = async ({ history, folder, images, dice, keep }: Cutting): Promise<ReadonlyArray<Cut>> => {
  const notes = readNotes(history)
  const disk = new Disk()
  const cuts: Array<Cut> = []
  let followed = 0
  for (const [image, at] of chooseMoments(notes, history.served, images, dice).entries()) {
    for (const note of notes.slice(followed, at)) disk.follow(note)
    followed = at
    const moment = notes[at - 1]?.moment ?? { run: 0, length: 0 }
    disk.leave(folder, dice.fork(`image ${image}`))
    const copy = join(keep ?? "", `${dice.name.replaceAll("/", "-")}-${image}`)
    if (keep !== undefined) cpSync(folder, copy, { recursive: true })
    const promised = promisedAt(history, moment)
    const found = await checkImage(join(folder, "data"), promised)
    if (keep !== undefined && found.faults.length === 0) rmSync(copy, { recursive: true })
    rmSync(folder, { recursive: true })
    cuts.push({ ...found, image, moment, acknowledged: promised.messages.length })
  }
  return cuts
}

/** A cut at the end, where the disk has got to nothing that was not synced. */
export const cutAtEnd = async (history: History, folder: string): Promise<Found> => {
  const disk = new Disk()
  for (const note of readNotes(history)) disk.follow(note)
  disk.leaveLeast(folder)
  const found = await checkImage(join(folder, "data"), promisedAt(history, history.end))
  rmSync(folder, { recursive: true })
  return found
}

const show = ({ image, moment, faults }: Cut): string =>
  `image ${image}, run ${moment.run} at ${moment.length}: ${faults.join("; ")}`

/**
 * Cuts that break the promise, by which each opens and is right, and the past is trusted once something was
 * acknowledged, so queues go on.
 */
export const brokenPromises = (cuts: ReadonlyArray<Cut>): ReadonlyArray<string> =>
  cuts.flatMap((cut) => {
    if (cut.faults.length > 0) return [show(cut)]
    if (cut.lost > 0) return [show({ ...cut, faults: [`${cut.lost} acknowledged messages are lost`] })]
    return cut.trusted !== true && cut.acknowledged > 0 ? [show({ ...cut, faults: ["the past is not trusted"] })] : []
  })

export const countsOf = (cuts: ReadonlyArray<Cut>): string => {
  const count = (wanted: (cut: Cut) => boolean) => cuts.filter(wanted).length
  return JSON.stringify({
    images: cuts.length,
    opened: count(({ opened }) => opened),
    trusted: count(({ trusted }) => trusted === true),
    renewed: count(({ trusted }) => trusted === false),
    lossy: count(({ lost }) => lost > 0),
    faulty: count(({ faults }) => faults.length > 0),
    acknowledged: cuts.at(-1)?.acknowledged ?? 0,
  })
}
