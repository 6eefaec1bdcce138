/** Which files a backup has. */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import t from "tap"
import { findFiles } from "../../../src/command-line/backup/files-folder.ts"
import { createFolder } from "../../kit/test-database.ts"

t.test("thumbnails and exports of organizations are left out, and what is not whole", async (t) => {
  const folder = await createFolder(t)
  const wanted = ["1/emoji/a.png", "1/uploads/exports/b.txt", "2/uploads/c"]
  const others = ["1/exports/d.tgz", "2/exports/e.tgz", "1/thumbnails/x/f.webp", "1/uploads/.unfinished-0a"]
  for (const name of [...wanted, ...others]) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), "bytes")
  }
  const found: Array<string> = []
  for await (const name of findFiles(folder)) found.push(name)
  t.strictSame(found, wanted)
})
