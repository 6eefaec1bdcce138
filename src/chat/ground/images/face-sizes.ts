/** Pixels a side of a person's picture: as lists and messages show it, and as profiles do. */
export const faceSide = 100
export const mediumSide = 500
