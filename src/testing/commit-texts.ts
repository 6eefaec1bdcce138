/** What a commit's statement and its answer say, as faults of a test look into them (database-faults.ts). */
import type { Parameter, Row } from "../db/database.ts"
import type { SqlCall } from "../events/command.ts"
import type { Json } from "../json.ts"

/** As log-commit.ts writes them. */
type Groups = ReadonlyArray<{ readonly fn: string; readonly calls: ReadonlyArray<SqlCall["args"]> }>

export const callsIn = (parameters: ReadonlyArray<Parameter>): string => String(parameters[4])

export const namesOf = (text: string): string => {
  const groups: Groups = JSON.parse(text)
  return groups.map(({ fn, calls }) => (calls.length === 1 ? fn : `${fn}*${calls.length}`)).join(" ")
}

export const readGroups = (text: string): ReadonlyArray<SqlCall> => {
  const groups: Groups = JSON.parse(text)
  return groups.flatMap(({ fn, calls }) => calls.map((args) => ({ fn, args })))
}

/** Outcomes are read only by the command's own code, so what throws is this and not the commit. */
export const garble = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
  rows.map((row) => {
    const [head = "", ...added] = String(row["answer"]).split("\n")
    const answer: { readonly outcomes: ReadonlyArray<Json> } = JSON.parse(head)
    const outcomes = answer.outcomes.map(() => ({ refused: "a word that nobody knows" }))
    return { ...row, answer: [JSON.stringify({ ...answer, outcomes }), ...added].join("\n") }
  })

export const stateOf = ([row]: ReadonlyArray<Row>): string => {
  const answer: { readonly state: string } = JSON.parse(String(row?.["answer"]).split("\n")[0] ?? "")
  return answer.state
}
