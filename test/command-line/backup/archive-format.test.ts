/** Archives: what is written is read again, other programs read it, and what is no whole archive is refused. */
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createGzip, gunzipSync, gzipSync } from "node:zlib"
import * as Schema from "effect/Schema"
import t, { type Test } from "tap"
import { Header } from "tar/header"
import { list } from "tar/list"
import { ExportArchive } from "../../../src/chat/organization/realm-exports/export-archive.ts"
import {
  ArchiveEnding,
  ArchiveHeading,
  archiveFormat,
  blockBytes,
  endingPath,
  filePath,
  fillingOf,
  headingPath,
  tablePath,
} from "../../../src/command-line/backup/archive-format.ts"
import { ArchiveReader, checkArchive } from "../../../src/command-line/backup/archive-reader.ts"
import { ArchiveWriter } from "../../../src/command-line/backup/archive-writer.ts"
import { writeToStream } from "../../../src/db/archive/write-to-stream.ts"
import { createFolder } from "../../kit/test-database.ts"

const contents = {
  version: 7,
  tables: [{ name: "fruits", columns: [{ name: "name", type: "text" }] }],
  counters: [],
  ranFor: 12,
  secretFingerprint: null,
  realms: [{ id: 1, host: "fruits.example", position: 3 }],
}
const heading = Schema.encodeSync(ArchiveHeading)({
  parleyBackup: archiveFormat,
  program: "1.2.3",
  madeAt: "today",
  contents,
})
const endingOf = (rows: number, files: number) => (sha256: string) =>
  Schema.encodeSync(ArchiveEnding)({ rows: { fruits: rows }, files, missing: ["1/uploads/ab/gone"], sha256 })

const rows = ['["apple"]', '["pear\\nwith a line"]', "[null]"]
const bytes = Buffer.alloc(700_000, "0123456789abcdef\n")

const write = async (file: string): Promise<void> => {
  const archive = await ArchiveWriter.make(file)
  await archive.add(headingPath, Buffer.from(heading))
  await archive.add(tablePath("fruits", 1), Buffer.from(`${rows[0]}\n${rows[1]}\n`))
  await archive.add(tablePath("fruits", 2), Buffer.from(`${rows[2]}\n`))
  await archive.add(filePath("1/uploads/ab/cd"), bytes)
  await archive.add(filePath("1/uploads/ab/empty"), Buffer.alloc(0))
  await archive.end(endingPath, endingOf(3, 2))
}

const makeArchive = async (t: Test) => {
  const file = join(await createFolder(t), "backup.tar.gz")
  await write(file)
  return file
}

const isRefused = (file: string) => checkArchive(file, () => {})

t.test("what was written is read again, and only its owner may read the file", async (t) => {
  const file = await makeArchive(t)
  t.equal((await stat(file)).mode & 0o777, 0o600)
  const reader = new ArchiveReader(file)
  t.match(await reader.heading(), { program: "1.2.3", contents })
  const found: Array<unknown> = []
  for await (const entry of reader.entries()) {
    if (entry.kind !== "file") found.push(entry)
    else {
      const parts: Array<Uint8Array> = []
      for await (const part of entry.parts) parts.push(part)
      found.push([entry.name, Buffer.concat(parts).equals(entry.size === 0 ? Buffer.alloc(0) : bytes)])
    }
  }
  reader.close()
  t.match(found, [
    { kind: "rows", table: "fruits", rows: rows.slice(0, 2) },
    { kind: "rows", table: "fruits", rows: rows.slice(2) },
    ["1/uploads/ab/cd", true],
    ["1/uploads/ab/empty", true],
    { kind: "ending", ending: { rows: { fruits: 3 }, files: 2, missing: ["1/uploads/ab/gone"] } },
  ])
  t.match(await checkArchive(file, () => {}), { heading: { program: "1.2.3" }, ending: { files: 2 } })
})

t.test("another program of tar files lists it", async (t) => {
  const paths: Array<string> = []
  await list({
    file: await makeArchive(t),
    strict: true,
    onReadEntry: ({ path, size }) => paths.push(`${path} ${size}`),
  })
  t.same(paths.slice(1, 5), [
    "tables/fruits/1.jsonl 32",
    "tables/fruits/2.jsonl 7",
    `files/1/uploads/ab/cd ${bytes.length}`,
    "files/1/uploads/ab/empty 0",
  ])
  t.equal(paths.length, 6)
})

t.test("an archive is there under its name when it is whole, and takes nobody's place", async (t) => {
  const folder = await createFolder(t)
  const file = join(folder, "backup.tar.gz")
  const archive = await ArchiveWriter.make(file)
  await archive.add(headingPath, Buffer.from(heading))
  t.same(await readdir(folder), ["backup.tar.gz.part"])
  await t.rejects(
    archive.addParts("files/1/a", 5, [Buffer.from("four")]),
    /4 bytes in place of 5/,
    "a file that was cut meanwhile",
  )
  await archive.abandon()
  t.same(await readdir(folder), [])
  await writeFile(`${file}.part`, "what a killed one has left")
  await write(file)
  t.same(await readdir(folder), ["backup.tar.gz"])
  await t.rejects(ArchiveWriter.make(file), { name: "BackupFailed", message: /^There is .+backup\.tar\.gz already/ })
  await t.rejects(ArchiveWriter.make(join(folder, "none", "b")), /ENOENT/)
})

t.test("one name is written by one at a time, and what took its place meanwhile is left alone", async (t) => {
  const folder = await createFolder(t)
  const file = join(folder, "backup.tar.gz")
  const archive = await ArchiveWriter.make(file)
  await archive.add(headingPath, Buffer.from(heading))
  await t.rejects(ArchiveWriter.make(file), {
    name: "BackupFailed",
    message: /^Another backup is writing .+backup\.tar\.gz\.part/,
  })
  t.same(await readdir(folder), ["backup.tar.gz.part"], "the first one's file is there as before")
  await rm(`${file}.part`)
  await writeFile(`${file}.part`, "another's")
  await t.rejects(archive.end(endingPath, endingOf(0, 0)), { name: "BackupFailed", message: /there is no backup$/ })
  await archive.abandon()
  t.equal(await readFile(`${file}.part`, "utf8"), "another's")
  t.same(await readdir(folder), ["backup.tar.gz.part"])
})

t.test("a writer that waits for the disk is told when the archive is given up", async (t) => {
  const gzip = createGzip().on("error", () => {})
  const noise = randomBytes(4 * 1024 * 1024)
  // Nobody reads: it stands still with the first write in its hands.
  const writing = writeToStream(gzip, noise)
  const rejected = t.rejects(writing, { message: "given up" })
  await once(gzip, "readable")
  gzip.destroy(new Error("given up"))
  await rejected
  await t.rejects(writeToStream(gzip, noise), { message: "given up" })

  const taken = new ExportArchive(0)
  const adding = t.rejects(taken.add("noise", [noise]), { message: /not written to its end/ })
  taken.abandon()
  await adding
})

t.test("one that was cut off is refused, wherever that was", async (t) => {
  const file = await makeArchive(t)
  const whole = await readFile(file)
  const unpacked = gunzipSync(whole)
  const cut = `${file}.cut`
  const message = /\.cut cannot be restored: it ends in the middle/
  for (const length of [0, 1, 10, 100, whole.length >> 1, whole.length - 9, whole.length - 1]) {
    await writeFile(cut, whole.subarray(0, length))
    await t.rejects(isRefused(cut), { name: "BackupFailed", message }, `${length} of ${whole.length} bytes`)
  }
  const endAt = unpacked.lastIndexOf(endingPath)
  for (const length of [512, 700, endAt, endAt + 512, endAt + 600]) {
    await writeFile(cut, gzipSync(unpacked.subarray(0, length)))
    await t.rejects(
      isRefused(cut),
      { name: "BackupFailed", message },
      `${length} bytes of the tar file, packed as a whole`,
    )
  }
  await writeFile(cut, gzipSync(Buffer.concat([unpacked.subarray(0, endAt), Buffer.alloc(2 * blockBytes)])))
  await t.rejects(isRefused(cut), { message }, "a tar file that ends in good order, without the ending")
  await writeFile(cut, gzipSync(unpacked.subarray(0, unpacked.length - 2 * blockBytes)))
  t.match(await checkArchive(cut, () => {}), { ending: { files: 2 } }, "the empty blocks at the end say nothing")
})

t.test("one that was changed is refused", async (t) => {
  const file = await makeArchive(t)
  const unpacked = gunzipSync(await readFile(file))
  const changed = `${file}.changed`
  const places = ["apple", "fruits.example", "0123456789", "1/uploads/ab/cd"].map((text) => unpacked.indexOf(text))
  for (const at of [...places, 130, unpacked.length - 1]) {
    const bytes = Buffer.from(unpacked)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(changed, gzipSync(bytes))
    await t.rejects(isRefused(changed), { name: "BackupFailed", message: /cannot be restored: it / }, `byte ${at}`)
  }
  const packed = await readFile(file)
  packed[packed.length >> 1] = (packed[packed.length >> 1] ?? 0) ^ 1
  await writeFile(changed, packed)
  await t.rejects(isRefused(changed), { name: "BackupFailed", message: /cannot be restored: it is damaged/ })
})

t.test("what is no archive of ours is refused", async (t) => {
  const file = join(await createFolder(t), "other")
  await t.rejects(isRefused(file), { name: "BackupFailed", message: /other cannot be restored: ENOENT/ })
  await t.rejects(isRefused(join(file, "..")), { name: "BackupFailed", message: /EISDIR/ })
  const other = entry("readme.txt", "hello")
  for (const content of [
    "hello",
    "PK\u0003\u0004",
    gzipSync("hello".repeat(1000)),
    gzipSync(Buffer.alloc(4096, 1)),
    gzipSync(other),
  ]) {
    await writeFile(file, content)
    await t.rejects(isRefused(file), { name: "BackupFailed", message: /no backup of this program|in the middle/ })
  }
})

/** The bytes of one entry of a tar file: its header, its content, and zeros up to a whole block. */
const entry = (path: string, text: string, type: "File" | "SymbolicLink" | "Directory" = "File"): Buffer => {
  const block = Buffer.alloc(blockBytes)
  new Header({
    path,
    size: text.length,
    type,
    mode: 0o600,
    ...(type === "SymbolicLink" ? { linkpath: "/etc" } : {}),
  }).encode(block)
  return Buffer.concat([block, Buffer.from(text), Buffer.alloc(fillingOf(text.length))])
}

t.test("names that lead out of the folder, and whatever is no file, are refused", async (t) => {
  const folder = await createFolder(t)
  const file = join(folder, "hostile.tar.gz")
  for (const [path, type] of [
    ["files/../../escaped", "File"],
    ["files//etc/passwd", "File"],
    ["/etc/passwd", "File"],
    ["../escaped", "File"],
    ["files/1/../../../escaped", "File"],
    ["files/1/a\\..\\b", "File"],
    ["files/.hidden", "File"],
    ["tables/../x/1.jsonl", "File"],
    ["tables/a;drop/1.jsonl", "File"],
    ["files/1/link", "SymbolicLink"],
    ["files/1/folder", "Directory"],
  ] as const) {
    await writeFile(file, gzipSync(Buffer.concat([entry(headingPath, heading), entry(path, "", type)])))
    await t.rejects(
      isRefused(file),
      { name: "BackupFailed", message: /no name of a file of this program|no backup of this program/ },
      `${type} ${path}`,
    )
  }
  t.same(await readdir(folder), ["hostile.tar.gz"])
  t.notOk(existsSync(join(folder, "..", "escaped")))
})

t.test("a small file that unpacks to long rows is refused before they are held", async (t) => {
  const file = join(await createFolder(t), "backup.tar.gz")
  const archive = await ArchiveWriter.make(file)
  await archive.add(headingPath, Buffer.from(heading))
  const part = Buffer.alloc(1024 * 1024, "0")
  const parts = Array.from({ length: 33 }, () => part)
  await archive.addParts(tablePath("fruits", 1), parts.length * part.length, parts)
  await archive.end(endingPath, endingOf(1, 0))
  t.ok((await stat(file)).size < 100_000)
  const before = process.memoryUsage().arrayBuffers
  await t.rejects(isRefused(file), { name: "BackupFailed", message: /it is no backup of this program/ })
  t.ok(process.memoryUsage().arrayBuffers - before < 32 * 1024 * 1024)
})

t.test("an archive that takes no more is what cannot be written, whatever was being read for it", async (t) => {
  const archive = await ArchiveWriter.make(join(await createFolder(t), "backup.tar.gz"))
  await archive.add(headingPath, Buffer.from(heading))
  await archive.abandon()
  await t.rejects(archive.addParts(filePath("1/uploads/ab/cd"), bytes.length, [bytes]), {
    _tag: "BackupFailed",
    message: /^the archive cannot be written: /,
  })
})
