/**
 * A model of a disk that can lose its power: it follows the changes of a journal and knows what of them was synced. An
 * image is what such a cut may leave: of a file all that was synced, and each sector of 512 bytes as it was then or
 * after any later write, its length likewise; of a folder the entries of its last sync, and any of the later changes,
 * a rename whole or not at all. A file without an entry is gone.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Dice } from "../kill/dice.ts"
import type { Note } from "./journal.ts"

const sectorBytes = 512

interface Written {
  readonly at: number
  readonly bytes: Buffer
}
interface Cut {
  readonly length: number
}

/** A content that grows as it is written to. What was cut off is zero, if it is ever seen again. */
class Content {
  bytes = Buffer.alloc(0)
  length = 0

  apply(step: Written | Cut): void {
    if ("length" in step) {
      if (step.length < this.length) this.bytes.fill(0, step.length, this.length)
      else this.#reserve(step.length)
      this.length = step.length
    } else {
      const end = step.at + step.bytes.length
      this.#reserve(end)
      step.bytes.copy(this.bytes, step.at)
      this.length = Math.max(this.length, end)
    }
  }

  #reserve(length: number): void {
    if (length <= this.bytes.length) return
    const larger = Buffer.alloc(Math.max(length, this.bytes.length * 2))
    this.bytes.copy(larger)
    this.bytes = larger
  }

  copy(): Content {
    const copy = new Content()
    copy.bytes = Buffer.from(this.bytes)
    copy.length = this.length
    return copy
  }
}

class File {
  /** As it was synced last. */
  readonly safe = new Content()
  readonly since: Array<Written | Cut> = []

  sync(): void {
    for (const step of this.since.splice(0)) this.safe.apply(step)
  }

  /** The bytes that may be left of it. `share`: how much of the later changes the disk has got to. */
  left(dice: Dice, share: number): Buffer {
    if (this.since.length === 0) return this.safe.bytes.subarray(0, this.safe.length)
    if (share === 0 || share === 1) {
      const content = this.safe.copy()
      if (share === 1) for (const step of this.since) content.apply(step)
      return content.bytes.subarray(0, content.length)
    }
    const content = this.safe.copy()
    const lengths = [content.length]
    const now = this.safe.copy()
    for (const step of this.since) {
      const before = now.length
      now.apply(step)
      lengths.push(now.length)
      const [from, to] =
        "length" in step ? [Math.min(before, step.length), before] : [step.at, step.at + step.bytes.length]
      content.apply({ length: Math.max(content.length, now.length, to) })
      for (let at = from - (from % sectorBytes); at < to; at += sectorBytes) {
        const end = Math.min(at + sectorBytes, now.bytes.length, content.bytes.length)
        if (dice.chance(share)) now.bytes.copy(content.bytes, at, at, end)
      }
    }
    content.apply({ length: dice.pick(lengths) })
    return content.bytes.subarray(0, content.length)
  }
}

type Item = File | Folder
/** A change of a folder's entries: names with what they name afterwards, null for nothing. */
type Change = ReadonlyArray<readonly [string, Item | null]>

class Folder {
  /** As it was synced last. */
  readonly safe = new Map<string, Item>()
  readonly now = new Map<string, Item>()
  readonly since: Array<Change> = []

  change(change: Change): void {
    this.since.push(change)
    follow(this.now, change)
  }

  sync(): void {
    for (const change of this.since.splice(0)) follow(this.safe, change)
  }

  left(dice: Dice, share: number): ReadonlyMap<string, Item> {
    const entries = new Map(this.safe)
    // Half of the time the first changes are left and none after them, because most file systems write a folder's
    // changes in order; half of the time each is left or lost by itself.
    const inOrder = dice.chance(0.5)
    const reached = Math.floor(dice.next() * (this.since.length + 1))
    this.since.forEach((change, n) => {
      const isDone = share === 0 ? false : share === 1 ? true : inOrder ? n < reached : dice.chance(share)
      if (isDone) follow(entries, change)
    })
    return entries
  }
}

const follow = (entries: Map<string, Item>, change: Change): void => {
  for (const [name, item] of change) {
    if (item === null) entries.delete(name)
    else entries.set(name, item)
  }
}

const partsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

export class Disk {
  readonly #root = new Folder()
  readonly #open = new Map<number, Item>()

  #find(path: string): Item {
    let item: Item = this.#root
    for (const part of partsOf(path)) {
      const next: Item | undefined = item instanceof Folder ? item.now.get(part) : undefined
      if (next === undefined) throw new Error(`the journal never made ${path}`)
      item = next
    }
    return item
  }

  #file(path: string): File {
    const item = this.#find(path)
    if (item instanceof Folder) throw new Error(`${path} is a folder`)
    return item
  }

  #at(path: string): readonly [Folder, string] {
    const parts = partsOf(path)
    const folder = this.#find(parts.slice(0, -1).join("/"))
    const name = parts.at(-1)
    if (!(folder instanceof Folder) || name === undefined) throw new Error(`${path} is in no folder`)
    return [folder, name]
  }

  #make(path: string, item: Item): void {
    const [folder, name] = this.#at(path)
    folder.change([[name, item]])
  }

  #makeUnlessThere(path: string): void {
    const [folder, name] = this.#at(path)
    if (!folder.now.has(name)) folder.change([[name, new File()]])
  }

  #step(descriptor: number, step: Written | Cut): void {
    const item = this.#open.get(descriptor)
    if (item instanceof File) item.since.push(step)
    else throw new Error("the journal writes to what is not open")
  }

  follow({ change, bytes }: Note): void {
    switch (change.kind) {
      case "open": {
        if (change.creates) this.#makeUnlessThere(change.path)
        const item = this.#find(change.path)
        this.#open.set(change.descriptor, item)
        if (change.empties && item instanceof File) item.since.push({ length: 0 })
        return
      }
      case "write":
        return this.#step(change.descriptor, { at: change.at, bytes })
      case "cut":
        return this.#step(change.descriptor, { length: change.length })
      case "cut-path":
        return void this.#file(change.path).since.push({ length: change.length })
      case "put":
        this.#makeUnlessThere(change.path)
        return void this.#file(change.path).since.push({ length: 0 }, { at: 0, bytes })
      case "sync":
        return this.#open.get(change.descriptor)?.sync()
      case "mkdir":
        return this.#make(change.path, new Folder())
      case "link":
        return this.#make(change.to, this.#find(change.path))
      case "remove": {
        const [folder, name] = this.#at(change.path)
        return folder.change([[name, null]])
      }
      case "rename": {
        const item = this.#find(change.path)
        const [from, name] = this.#at(change.path)
        const [to, newName] = this.#at(change.to)
        if (from !== to) throw new Error(`${change.path} moves to another folder`)
        return from.change([
          [name, null],
          [newName, item],
        ])
      }
    }
  }

  /** Writes what a power cut now leaves, where the disk has got to nothing that was not synced. */
  leaveLeast(target: string): void {
    this.#write(target, new Dice(0), () => 0)
  }

  /** Writes what a power cut now may leave to `target`, which does not exist. */
  leave(target: string, dice: Dice): void {
    // All, nothing, or a part of what was not synced; and that of each file and folder, or of them all.
    const share = (): number => dice.pick([0, 1, dice.next(), dice.next()])
    const common = dice.chance(0.3) ? share() : null
    this.#write(target, dice, () => common ?? share())
  }

  #write(target: string, dice: Dice, share: () => number): void {
    const write = (item: Item, path: string): void => {
      if (item instanceof Folder) {
        mkdirSync(path, { mode: 0o700 })
        for (const [name, each] of item.left(dice, share())) write(each, join(path, name))
      } else writeFileSync(path, item.left(dice, share()), { mode: 0o600 })
    }
    write(this.#root, target)
  }
}
