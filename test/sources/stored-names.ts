/**
 * The names that stand in databases, logs and the configurations of others, and so outlive every rename of the code: SQL
 * functions and their files, tables and columns, kinds of rows with the keys of their payloads, jobs, kinds of work and of the
 * outbox with the keys that these store, settings, metrics. Compared by stored-names.test.ts with stored-names.json.
 */
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import type * as Schema from "effect/Schema"
import * as Ast from "effect/SchemaAST"
import { bulkKinds, eventKinds, jobs, projectionParts } from "../../src/chat/features.ts"
import { realmSettingNames } from "../../src/chat/ground/realm/realm-settings.ts"
import { userSettingNames } from "../../src/chat/ground/realm/user-settings.ts"
import { MessageMarks } from "../../src/chat/sending/messages/message-marks.ts"
import { CommandAnswer, ServerCommand } from "../../src/chat/server/commands/command-schema.ts"
import { QueueDescription } from "../../src/chat/server/sync/queue-description.ts"
import { readSources } from "./read-sources.ts"
import type { Source } from "./source-rules.ts"

export type StoredNames = Readonly<Record<string, ReadonlyArray<string>>>

export const storedNamesFile = "test/sources/stored-names.json"

const sorted = (names: Iterable<string>): ReadonlyArray<string> => [...new Set(names)].sort()

const isMigration = ({ path }: Source): boolean => path.startsWith("src/db/migrations/")
const isFunctionFile = (source: Source): boolean => /^src\/.*\.sql$/.test(source.path) && !isMigration(source)
const isProgram = ({ path }: Source): boolean => /^src\/(?!web|client|testing).*\.ts$/.test(path)

/** The paths of all keys that a Schema stores: `a.b` is a key within the value of `a`; lists and unions add nothing. */
export const keysOf = (schema: Schema.Top): ReadonlyArray<string> => {
  const keys = new Set<string>()
  const visit = (ast: Ast.AST, path: string, above: ReadonlyArray<Ast.AST>): void => {
    if (above.includes(ast)) return
    const all = [...above, ast]
    // What is stored is the encoded side.
    const encoded = ast.encoding?.at(-1)?.to
    if (encoded !== undefined) return visit(encoded, path, all)
    if (Ast.isUnion(ast)) for (const each of ast.types) visit(each, path, all)
    if (Ast.isArrays(ast)) for (const each of [...ast.elements, ...ast.rest]) visit(each, path, all)
    if (Ast.isSuspend(ast)) visit(ast.thunk(), path, all)
    if (!Ast.isObjects(ast)) return
    for (const { type } of ast.indexSignatures) visit(type, `${path}*.`, all)
    for (const { name, type } of ast.propertySignatures) {
      keys.add(path + String(name))
      visit(type, `${path}${String(name)}.`, all)
    }
  }
  visit(schema.ast, "", [])
  return [...keys]
}

const named = (name: string, keys: ReadonlyArray<string>): ReadonlyArray<string> => [
  name,
  ...keys.map((key) => `${name}: ${key}`),
]

/** The newest version of the tables in a program that was released. Raised by each release. */
export const released = 56

/** Which kinds' rows have settings by their names. */
const kindsOfSettings = {
  realmSettings: ["realm"],
  userSettings: ["user_settings", "realm_user_settings_defaults"],
} as const

/**
 * What is new in rows of the log, and whose kind does not say (`since`) that only programs after the released ones know it: kinds,
 * keys of their payloads, and settings.
 */
export const findUngated = (
  before: StoredNames,
  now: StoredNames,
  since: ReadonlyMap<string, number>,
): ReadonlyArray<string> => {
  const fresh = (list: string) => (now[list] ?? []).filter((name) => !(before[list] ?? []).includes(name))
  const isGated = (kind: string) => (since.get(kind) ?? 0) > released
  return [
    ...fresh("kinds").filter((name) => !isGated(name.split(/:| applied by /)[0] ?? "")),
    ...Object.entries(kindsOfSettings).flatMap(([list, kinds]) => (kinds.every(isGated) ? [] : fresh(list))),
  ]
}

/** What is new and read by older programs, too, which no kind of rows keeps from being written. */
export const findUnkept = (before: StoredNames, now: StoredNames): ReadonlyArray<string> =>
  ["bulk", "later", "stored"].flatMap((list) =>
    (now[list] ?? []).filter((name) => !(before[list] ?? []).includes(name)).map((name) => `${list}: ${name}`),
  )

const tablesIn = (schema: string): ReadonlyArray<string> =>
  [...schema.matchAll(/^create table (?:if not exists )?(\w+) \(\n([\s\S]*?)^\)/gm)].flatMap(
    ([, table = "", columns = ""]) => [
      table,
      ...[...columns.matchAll(/^ {2}(\w+) /gm)]
        .filter(([, column = ""]) => !/^(primary|foreign|unique|check|constraint|exclude|references)$/.test(column))
        .map(([, column = ""]) => `${table}.${column}`),
    ],
  )

/** Kinds of what is done behind commits, from the sources: the name, and keys that the Schemas of the same file give. */
const laterKinds = (sources: ReadonlyArray<Source>): ReadonlyArray<string> =>
  sources.filter(isProgram).flatMap(({ text }) =>
    [...text.matchAll(/= (outboxKind|bulkKind|repeatableKind)\(\s*(?:\{\s*name: )?("[\w ]+"|\w+)/g)].flatMap(
      ([, maker = "", said = ""]) => {
        const name = said.startsWith('"') ? said : (new RegExp(`const ${said} = ("[\\w ]+")`).exec(text)?.[1] ?? said)
        const keys = [...text.matchAll(/(?<=[{,]\s*)(\w+): (?:Schema\.|idSchemas\.|Nullable)/g)].map(
          ([, key = ""]) => key,
        )
        return named(`${maker} ${name}`, keys)
      },
    ),
  )

export const storedNames = (): StoredNames => {
  const sources = readSources()
  const sql = sources.filter(isFunctionFile)
  const program = sources.filter(isProgram)
  const all = (pattern: RegExp, among: ReadonlyArray<Source>): ReadonlyArray<string> =>
    among.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name = ""]) => name))
  return {
    functionFiles: sorted(sql.map(({ path }) => basename(path))),
    functions: sorted(all(/create or replace function (\w+)/g, sql)),
    migrations: sorted(sources.filter(isMigration).map(({ path }) => basename(path))),
    tables: sorted(tablesIn(readFileSync("schema.sql", "utf8"))),
    kinds: sorted(
      eventKinds.flatMap(({ type, applyFunction, payload }) => [
        ...named(type, keysOf(payload)),
        ...(applyFunction === null ? [] : [`${type} applied by ${applyFunction}`]),
      ]),
    ),
    parts: sorted(projectionParts.map(({ name, load }) => `${name} loaded by ${load}`)),
    jobs: sorted(jobs.map(({ name }) => name)),
    bulk: sorted(bulkKinds.map(({ name }) => name)),
    later: sorted(laterKinds(sources)),
    realmSettings: sorted(realmSettingNames),
    userSettings: sorted(userSettingNames),
    stored: sorted([
      ...named("queue", keysOf(QueueDescription)),
      ...named("marks", keysOf(MessageMarks)),
      ...named("command", keysOf(ServerCommand)),
      ...named("answer", keysOf(CommandAnswer)),
    ]),
    metrics: sorted(all(/"(parley_\w+)"/g, program)),
    variables: sorted(all(/"(PARLEY_\w+)"/g, program)),
  }
}
