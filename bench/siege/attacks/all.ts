/** All attacks, by who attacks. */
import type { Attack } from "../kit.ts"
import { guestAttacks } from "./guest.ts"
import { memberAttacks } from "./member.ts"
import { nobodyAttacks } from "./nobody.ts"
import { slowAttacks } from "./slow.ts"

export const attacks: ReadonlyArray<Attack> = [...guestAttacks, ...memberAttacks, ...nobodyAttacks, ...slowAttacks]
