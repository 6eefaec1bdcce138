/** Signs this browser out; given from the root of the views. */
import { createContext } from "preact"

export const SignOut = createContext<() => void>(() => undefined)
