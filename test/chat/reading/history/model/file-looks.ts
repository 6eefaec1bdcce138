/** Which uploaded files a user may read, by their addresses and by temporary ones. */
import { basic } from "../../../../kit/rows.ts"
import { Disagreement, type Scene, said } from "./scene.ts"
import type { User } from "./world.ts"

export const same = (is: unknown, must: unknown, what: string): void => {
  const [shown, expected] = [JSON.stringify(is), JSON.stringify(must)]
  if (shown !== expected) throw new Disagreement(`${what}:\n  ${shown}, expected\n  ${expected}`)
}

/** Whoever may read a file gets an address of it that needs no key; else there is none, as for a file that there is not. */
const temporary = async (scene: Scene, user: User, file: string): Promise<void> => {
  const { server, world } = scene
  const answer = await scene.as(user).get(file)
  if (!world.readsFile(user, file)) {
    const absent = await scene.as(user).get(file.replace(/[0-9a-f]{32}/, "0".repeat(32)))
    return same(said(answer), said(absent), `${user.name}, address of ${file}`)
  }
  const given = await fetch(`${server.origin}${answer.body["url"]}`)
  same([given.status, await given.text()], [200, "text"], `${user.name}, address of ${file}`)
}

export const sameFiles = async (scene: Scene, user: User): Promise<void> => {
  const { server, world } = scene
  const headers = { Authorization: basic(scene.as(user).account) }
  const fetched = async (path: string) => {
    const answer = await fetch(`${server.origin}${path}`, { headers })
    return [answer.status, await answer.text()]
  }
  for (const file of world.files.keys()) {
    const expected = world.readsFile(user, file)
      ? [200, "text"]
      : await fetched(file.replace(/[0-9a-f]{32}/, "0".repeat(32)))
    same(await fetched(file), expected, `${user.name}, ${file}`)
    await temporary(scene, user, file)
  }
}
