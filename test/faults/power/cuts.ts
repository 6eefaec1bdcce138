/** Cuts the power of a recorded history at many moments, and checks what each cut may have left. */
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Dice } from "../kill/dice.ts"
import { Disk } from "./disk.ts"
import type { History } from "./history.ts"
import { checkImage, type Found } from "./image-check.ts"
import { type Note, readJournal } from "./journal.ts"
import type { Moment } from "./recorded-server.ts"

export interface Cut extends Found {
  readonly moment: Moment
  /** How many changes and syncs came before it, in all runs. */
  readonly at: number
  /** Messages acknowledged by then. */
  readonly acknowledged: number
}

const isBefore = (one: Moment, other: Moment): boolean =>
  one.run < other.run || (one.run === other.run && one.length <= other.length)

const isStructural = ({ change: { kind } }: Note): boolean => !["write", "open", "sync"].includes(kind)

/** A third of the moments is anywhere, a third at syncs, and a third where files come, go, and change their length. */
const chooseMoments = (notes: ReadonlyArray<Note>, count: number, dice: Dice): ReadonlyArray<number> => {
  const indexesOf = (wanted: (note: Note) => boolean) => notes.flatMap((note, n) => (wanted(note) ? [n] : []))
  const syncs = indexesOf(({ change }) => change.kind === "sync")
  const structural = indexesOf(isStructural)
  const all = notes.map((_, n) => n)
  const moments = Array.from({ length: count }, (_, n) => {
    const near = dice.pick([all, syncs, structural][n % 3] ?? all)
    return Math.min(notes.length, Math.max(0, near + dice.between(0, 2)))
  })
  return moments.sort((a, b) => a - b)
}

/** `folder` does not exist; it is removed after each check, but for the first `keep` images with faults. */
export const cutPower = async (
  history: History,
  folder: string,
  count: number,
  dice: Dice,
  seen: (cut: Cut) => void,
  keepAt?: string,
): Promise<void> => {
  const notes = history.runs.flatMap(({ journal }, run) =>
    readJournal(journal).map((note) => ({ ...note, moment: { run, length: note.end } })),
  )
  const disk = new Disk()
  let followed = 0
  for (const [n, at] of chooseMoments(notes, count, dice).entries()) {
    for (; followed < at; followed++) {
      const note = notes[followed]
      if (note !== undefined) disk.follow(note)
    }
    const moment = notes[at - 1]?.moment ?? { run: 0, length: 0 }
    const names = (kind: "message" | "queue") =>
      history.known.filter((each) => each.kind === kind && isBefore(each.from, moment)).map(({ name }) => name)
    disk.leave(folder, dice.fork(`cut ${n}`))
    const messages = names("message")
    if (keepAt !== undefined) cpSync(folder, join(keepAt, `${n}`), { recursive: true })
    const { owner, inode } = history
    const found = await checkImage(join(folder, "data"), { messages, queues: names("queue"), owner, inode })
    if (keepAt !== undefined && found.faults.length === 0) rmSync(join(keepAt, `${n}`), { recursive: true })
    rmSync(folder, { recursive: true, force: true })
    seen({ ...found, moment, at, acknowledged: messages.length })
  }
}
