/** The mark of a folder for files, which says whose they are (chat/ground/files/folder-mark.ts). */
export const markFile = ".parley.json"
