/** The first of many, and how many are left out. */
export const firstOf = <Item>(all: ReadonlyArray<Item>, most: number): readonly [ReadonlyArray<Item>, number] => [
  all.slice(0, most),
  Math.max(0, all.length - most),
]
