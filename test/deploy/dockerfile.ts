/** Reads deploy/Dockerfile: its stages, with their instructions in order, as far as that file has them. */
import { readFileSync } from "node:fs"
import { packageFile } from "../../src/db/package-root.ts"

export interface Instruction {
  readonly name: string
  readonly text: string
}

/** `FROM image AS name`, and what follows. */
export interface Stage {
  readonly name: string | undefined
  readonly image: string
  readonly instructions: ReadonlyArray<Instruction>
}

/** A line that ends in a backslash goes on in the next; a comment is a line of its own. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "")

export const readDockerfile = (): ReadonlyArray<Stage> => {
  const stages: Array<Stage & { readonly instructions: Array<Instruction> }> = []
  for (const line of linesOf(readFileSync(packageFile("deploy/Dockerfile"), "utf8"))) {
    const [, name = "", text = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (name === "FROM") {
      const [image = "", , stage] = text.split(" ")
      stages.push({ name: stage, image, instructions: [] })
    } else if (name === "") throw new Error(`no instruction: ${line}`)
    else stages.at(-1)?.instructions.push({ name, text })
  }
  return stages
}

/** The last stage, which is the image. */
export const imageStage = (): Stage => {
  const stage = readDockerfile().at(-1)
  if (stage === undefined) throw new Error("the Dockerfile has no stage")
  return stage
}

/** The texts of the image's instructions of one name. */
export const ofImage = (name: string): ReadonlyArray<string> =>
  imageStage()
    .instructions.filter((each) => each.name === name)
    .map(({ text }) => text)

/** The variables of the image. */
export const imageEnvironment = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ofImage("ENV")
      .flatMap((text) => text.split(" "))
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  )

/** A command in the form of a list, after whatever options. */
export const commandOf = (text: string): ReadonlyArray<string> => {
  const list: unknown = JSON.parse(text.slice(text.indexOf("[")))
  if (!Array.isArray(list)) throw new Error(`no list: ${text}`)
  return list.map(String)
}
