/**
 * The files of uploaded pictures, each named by the token that its row has, and what becomes of those that a commit has
 * replaced: the outbox removes them behind it. What no row ever named is removed by the periodic job (files/sweep-files.ts).
 */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { outboxKind } from "../../../jobs/outbox/outbox-kind.ts"
import { type FileName, fileName } from "../files/files.ts"
import { facesFolder, medium, realmFolder } from "./face-urls.ts"
import { ServedFaces } from "./served-faces.ts"

/** 128 random bits: whoever has the address of a picture was told it. */
export const newToken = (): string => randomBytes(16).toString("hex")

/** The files of a person's picture: the small one, then the medium one. */
export const faceFiles = (realm: number, token: string): readonly [small: FileName, medium: FileName] => [
  fileName(String(realm), facesFolder, `${token}.png`),
  fileName(String(realm), facesFolder, `${token}${medium}.png`),
]

/** The file of a picture of the organization. */
export const realmFile = (realm: number, token: string): FileName =>
  fileName(String(realm), realmFolder, `${token}.png`)

/** The token in the name of a file. */
export const tokenOf = (name: FileName): string =>
  name.slice(name.lastIndexOf("/") + 1).replace(/(?:-medium)?\.png$/, "")

const replacedKind = outboxKind({
  name: "replaced pictures",
  payload: Schema.Struct({ of: Schema.Literals([facesFolder, realmFolder]), token: Schema.String }),
  run: ({ realm, payload: { of, token } }) =>
    Effect.flatMap(ServedFaces, ({ remove }) =>
      Effect.forEach(of === facesFolder ? faceFiles(realm, token) : [realmFile(realm, token)], remove, {
        discard: true,
      }),
    ),
})

/** The steps by which a commit gives up a picture: none where there was none. */
export const givingUp = (of: typeof facesFolder | typeof realmFolder, token: string | null) =>
  token === null || token === "" ? [] : [replacedKind.adding([{ payload: { of, token } }])]

/** To be run behind such a commit. */
export const removeReplaced = replacedKind.wake
export const replacedJob = replacedKind.job
