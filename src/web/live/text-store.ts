/** Texts that outlast the page, each under a name: in a browser what browser-storage.ts does. */
export interface TextStore {
  /** Null: nothing is kept there any more. */
  readonly keep: (name: string, text: string | null) => void
  readonly kept: (name: string) => string | null
  /** Names that begin so, in their order. */
  readonly names: (beginning: string) => ReadonlyArray<string>
}
