/** Where the page begins. */
import { render } from "preact"
import { App } from "./view/app.tsx"
import { words } from "./words/words.ts"

const root = document.querySelector("#app")
document.documentElement.lang = words.language
document.documentElement.dir = words.direction
if (root !== null) {
  root.replaceChildren()
  render(<App />, root)
}
