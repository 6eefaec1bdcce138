/**
 * Files that comments of the program name, and that are not there: a file that is moved or renamed leaves its old name behind. A
 * comment may say as much of a path as tells a file from others: its name, with or without folders above it. Used by
 * named-files.test.ts.
 */
import type { Source } from "./source-rules.ts"
import { scanSource } from "./source-scanner.ts"

/** No end of a longer name, and no pattern. */
const fileName = /(?<![\w*<>{}/.-])(?:[\w-][\w.-]*\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|sql)\b/g

const commentsOf = ({ path, text }: Source): string =>
  path.endsWith(".ts") ? scanSource(text).comments : [...text.matchAll(/--.*/g)].join("\n")

/** Migrations say what was so when they were written, and never change. */
const isProgram = (path: string): boolean =>
  path.startsWith("src/") && /\.(ts|sql)$/.test(path) && !path.startsWith("src/db/migrations/")

/** The ends of a path, at its folders. */
const endsOf = (path: string): ReadonlyArray<string> => path.split("/").map((_, n, parts) => parts.slice(n).join("/"))

export const findLostNames = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const known = new Set(sources.flatMap(({ path }) => endsOf(path)))
  return sources
    .filter(({ path }) => isProgram(path))
    .flatMap((source) =>
      [...commentsOf(source).matchAll(fileName)]
        .filter(([name]) => !known.has(name))
        .map(([name]) => `${source.path}: a comment names ${name}, which is not there`),
    )
}
