/**
 * A password from the operator: twice from the terminal, without being shown, or the first line of standard input where that
 * is none. Never from an argument, which every process of the machine could read.
 */
import { createInterface } from "node:readline"
import { type Readable, Writable } from "node:stream"
import * as Result from "effect/Result"

export interface PasswordInput {
  readonly stream: Readable & { readonly isTTY?: boolean }
  /** For what is asked: standard error, so that standard output has the answer alone. */
  readonly tell: (text: string) => void
}

/** Longer than any password that is accepted: nothing is read without an end. */
const longestLine = 4096

/** Edited as any line is, but written nowhere. */
const askHidden = ({ stream, tell }: PasswordInput, question: string): Promise<string | null> =>
  new Promise((resolve) => {
    tell(question)
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input: stream, output: nowhere, terminal: true, historySize: 0 })
    const end = (line: string | null) => {
      tell("\n")
      // Before the end of the lines, which tells only that there will be none.
      resolve(line)
      lines.close()
    }
    lines.once("line", end)
    lines.once("SIGINT", () => end(null))
    lines.once("close", () => resolve(null))
  })

const readFirstLine = async (stream: Readable): Promise<string | null> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of stream) {
    const read = Buffer.from(chunk)
    chunks.push(read)
    bytes += read.length
    if (read.includes(10) || bytes > longestLine) break
  }
  const text = Buffer.concat(chunks).toString("utf8")
  const [line = ""] = text.split(/\r?\n/, 1)
  return text === "" ? null : line
}

/** Fails with a line that says why there is none. */
export const readPassword = async (input: PasswordInput, of: string): Promise<Result.Result<string, string>> => {
  if (input.stream.isTTY !== true) {
    const line = await readFirstLine(input.stream)
    return line === null || line === ""
      ? Result.fail(`no password for ${of}: expected it as the first line of standard input`)
      : Result.succeed(line)
  }
  const first = await askHidden(input, `Password for ${of}: `)
  if (first === null) return Result.fail("no password was given")
  const second = await askHidden(input, "Once more: ")
  return first === second ? Result.succeed(first) : Result.fail("the two passwords are not the same")
}
