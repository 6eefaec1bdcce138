/** Uploads files as a user, as clients do, and fetches them again. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { recordsIn } from "./records.ts"
import { basic } from "./rows.ts"
import type { Name, TestServer } from "./with-server.ts"

export interface FilePart {
  /** The name of its field. */
  readonly field?: string
  readonly name?: string
  /** null: the part has none. */
  readonly type?: string | null
  readonly bytes: string | Uint8Array
}

export const boundary = "----a boundary of this test".replaceAll(" ", "")

/** The frame of a form with these files, byte by byte. */
export const formBytes = (...parts: ReadonlyArray<FilePart>): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ field = "file", name = "a.txt", type = "text/plain", bytes }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n${type === null ? "" : `Content-Type: ${type}\r\n`}\r\n`,
      ),
      Buffer.from(bytes),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])

export const formType = `multipart/form-data; boundary="${boundary}"`

/** Posts a body; answers the status and the parsed answer. */
export const postBody = async (server: TestServer, by: Name, body: Uint8Array<ArrayBuffer>, contentType = formType) => {
  const answer = await fetch(`${server.origin}/api/v1/user_uploads`, {
    method: "POST",
    headers: { Authorization: basic(server.as(by).account), "Content-Type": contentType },
    body,
  })
  const [parsed = {}] = recordsIn([await answer.json()])
  return { status: answer.status, body: parsed }
}

export const upload = (server: TestServer, by: Name, ...parts: ReadonlyArray<FilePart>) =>
  postBody(server, by, new Uint8Array(formBytes(...parts)))

/** The address of a new file of the user. */
export const uploaded = async (server: TestServer, by: Name, part: FilePart = { bytes: "text" }): Promise<string> => {
  const { status, body } = await upload(server, by, part)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return String(body["url"])
}

/** Files of the organization on the disk, unfinished ones too. */
export const storedFiles = (server: TestServer): ReadonlyArray<string> => {
  try {
    const entries = readdirSync(join(server.config.filesFolder, "1"), { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}
