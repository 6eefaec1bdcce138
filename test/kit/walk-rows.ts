/**
 * What a feature adds to the walks over all features: its rows stand in its own folder, in
 * `test/chat/<area>/<feature>/walk-rows.ts`, which exports `walkRows({ ... })` as `rows`. The walks find these files by
 * themselves (walk-rows-of-features.ts), so a new feature edits none of theirs. Such a file imports neither this finder nor what
 * imports it (client-state.ts, settles.ts): it would wait for itself.
 */
import type { Pair, Question } from "../walks/hidden/asking.ts"
import type { Beside, Questions } from "../walks/hidden/parts.ts"
import type { WorstCase } from "../walks/worst-cases/values.ts"
import type { Fields } from "./client.ts"
import type { Appliers } from "./client-appliers.ts"
import type { Row } from "./rows.ts"
import type { Name, TestServer } from "./with-server.ts"

/** `METHOD /path`, as the table of routes has it. */
type ByRoute<A> = Readonly<Record<string, A>>

/** Users who are refused, and the refusal. */
export interface Right {
  readonly who: ReadonlyArray<Name>
  readonly fields?: Fields
  readonly want: object
}

/** Questions about the feature's own things, beside those about what stands in every organization. */
export type RoomQuestions = Questions & { readonly thing?: ReadonlyArray<Question> }

interface Definition {
  /** For conventions.test.ts, by its section. A row takes the place of a waiting one of its name. */
  readonly conventions?: Readonly<
    Partial<
      Record<
        "URLs, methods, bodies" | "success" | "errors" | "signing in" | "types of parameters" | "times, ids and texts",
        ReadonlyArray<Row>
      >
    >
  >
  /** For versioning.test.ts: what feature levels brought, and deprecated and renamed items; likewise. */
  readonly levels?: ReadonlyArray<Row>
  readonly renamed?: ReadonlyArray<Row>
  /** For leaks.test.ts. A route without a line is open to everybody with an account. */
  readonly leaks?: ByRoute<ReadonlyArray<Right>>
  /**
   * For hidden.test.ts, a line for each route, asked in this order. `things` makes something of the feature that cordelia has,
   * and answers who must not know of it, each with something that never was.
   */
  readonly hidden?: {
    readonly things?: (server: TestServer) => Promise<ReadonlyArray<Pair>>
    readonly questions: (beside: Beside) => ByRoute<RoomQuestions | string>
  }
  /** For worst-cases.test.ts, by parameter, or by route and parameter. */
  readonly worstCases?: Readonly<Record<string, WorstCase>>
  /** For garbage.test.ts: valid fields where those of the parameters' kinds are not, and texts that do not name the parameter. */
  readonly garbage?: { readonly fields?: ByRoute<Fields>; readonly texts?: ReadonlyArray<string> }
  /** For register-sections.test.ts: types of rows that a section of register contains because the projection holds them. */
  readonly contained?: ReadonlyArray<string>
  /** How a client applies the feature's events to its keys of register, by the events' type. */
  readonly client?: Appliers
}

/** A class, so that what is found can be told from anything else. */
export class WalkRows implements Required<Definition> {
  readonly conventions: Required<Definition>["conventions"]
  readonly levels: ReadonlyArray<Row>
  readonly renamed: ReadonlyArray<Row>
  readonly leaks: Required<Definition>["leaks"]
  readonly hidden: Required<Definition>["hidden"]
  readonly worstCases: Required<Definition>["worstCases"]
  readonly garbage: Required<Definition>["garbage"]
  readonly contained: ReadonlyArray<string>
  readonly client: Appliers

  constructor(definition: Definition) {
    this.conventions = definition.conventions ?? {}
    this.levels = definition.levels ?? []
    this.renamed = definition.renamed ?? []
    this.leaks = definition.leaks ?? {}
    this.hidden = definition.hidden ?? { questions: () => ({}) }
    this.worstCases = definition.worstCases ?? {}
    this.garbage = definition.garbage ?? {}
    this.contained = definition.contained ?? []
    this.client = definition.client ?? {}
  }
}

export const walkRows = (definition: Definition): WalkRows => new WalkRows(definition)
