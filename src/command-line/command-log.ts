/** What a command tells beside its answer: standard output has what it prints, and scripts read that. */

import { secretsIn } from "../config/describe-settings.ts"
import type { OperatorSettings } from "../config/read-settings.ts"
import { makeLog } from "../start/log.ts"

export const commandLog = (settings: OperatorSettings) =>
  makeLog({
    form: "text",
    level: "warn",
    secrets: secretsIn(settings),
    write: (text) => void process.stderr.write(text),
  }).layer
