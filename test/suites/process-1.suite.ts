import "./next-file.ts"
