/** Commands and the folder for files: another database's is refused by each, in one line; and so is another user's data. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { ownerFault } from "../../src/command-line/folder-owner.ts"
import { createFolder } from "../kit/test-database.ts"
import { makePlace } from "./backup/places.ts"

const organization = ["--name", "First", "--owner-email", "a@first.example", "--owner-name", "Ann", "--no-password"]
const create = ["org", "create", "first.example", ...organization]

t.test("commands on the folder of another database are refused, until it is adopted", async (t) => {
  const [one, another, third] = [await makePlace(t), await makePlace(t), await makePlace(t)]
  const shared = { PARLEY_FILES_DIR: join(await createFolder(t), "files") }
  const file = join(await createFolder(t), "backup.tar.gz")
  t.match(await one.run(create, shared), { code: 0 })
  const refused = { code: 2, out: "", err: /^parley: The files in \S+ belong to another database: [^\n]+\n$/m }
  t.match(await another.run(create, shared), refused)
  t.match(await another.run(create), { code: 0 }, "with a folder of its own")
  t.match(await another.run(["org", "list"], shared), refused)
  t.match(await another.run(["backup", file], shared), refused)
  t.match(await one.run(["backup", file], shared), { code: 0 })
  t.match(await third.run(["restore", file], shared), refused)
  t.match(await third.run(["restore", file]), { code: 0 })
  t.match(await third.run(["org", "list"], shared), refused, "what is restored is another database")
  const adopted = { code: 0, out: /^The files in \S+ belong to this database from now on\n$/, err: "" }
  t.match(await third.run(["files", "adopt"], shared), adopted)
  t.match(await third.run(["org", "list"], shared), { code: 0, out: /^first\.example/ })
  t.match(await one.run(["org", "list"], shared), refused)
})

t.test("a command of another user is told how to run it", async (t) => {
  const place = await makePlace(t)
  t.match(await place.run(create), { code: 0 })
  const settings = place.settings()
  const uid = process.getuid?.()
  if (uid === undefined) return t.pass("this system has no users")
  const argv = ["org", "list"]
  t.equal(ownerFault(settings, argv, uid), undefined)
  t.match(
    ownerFault(settings, argv, uid + 1),
    /^\S+ belongs to \S+, and what this command writes there would belong to \S+: run it as that user, sudo -u '\S+' parley org list$/,
  )
  rmSync(place.folder, { recursive: true })
  t.equal(ownerFault(settings, argv, uid + 1), undefined, "there is nothing yet")
})
