/** docs/feature-list.md, as it follows from the definitions of the features. `npm run docs` writes it; a test compares. */
import { features } from "../../src/chat/features.ts"

export const featureListPage = `# Features

\`src/chat\` has areas, and each folder of an area is a feature with one definition, \`feature.ts\`, which lists what it brings. A feature
imports only features above it, types included. This page is made from the definitions by \`npm run docs\`.

| area | feature | what is in it |
|---|---|---|
${features.map(({ area, name, about }) => `| ${area} | \`${name}\` | ${about} |`).join("\n")}
`
