/** What the keyboard does. */
import { words } from "../../words/words.ts"
import { Dialog } from "./dialog.tsx"

export const KeyboardHelp = () => (
  <Dialog title={words.keys}>
    <dl class="keys">
      {words.keyList.map(([key, what]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
