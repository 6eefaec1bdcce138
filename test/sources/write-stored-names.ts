/** Writes the list of stored names anew, where one is meant to be new or gone: `npm run stored-names`, from the root. */
import { readFileSync, writeFileSync } from "node:fs"
import { eventKinds } from "../../src/chat/features.ts"
import { findUngated, findUnkept, released, type StoredNames, storedNames, storedNamesFile } from "./stored-names.ts"

const listed: StoredNames = JSON.parse(readFileSync(storedNamesFile, "utf8"))
const now = storedNames()
const since = new Map(eventKinds.map((kind) => [kind.type, kind.newestSince]))
const ungated = findUngated(listed, now, since)
if (ungated.length > 0)
  throw new Error(
    `programs of version ${released} could not follow ${ungated.join(", ")}: their kinds want a newer \`since\``,
  )
const unkept = findUnkept(listed, now)
if (unkept.length > 0)
  process.stderr.write(
    `older processes read these, too: are they asked for by \`peers.speaks\`? ${unkept.join(", ")}\n`,
  )
writeFileSync(storedNamesFile, `${JSON.stringify(now, null, 2)}\n`)
