export { createFolder } from "./create-folder.ts";
export { checkpointsRoot, LOCK, PRIVATE_FILE, PRIVATE_FOLDER, tasksFolder } from "./data-folder.ts";
export { splitFrontMatter } from "./front-matter.ts";
export { readStart, type TextStart } from "./read-start.ts";
export { replaceFile, writePrivateFile } from "./replace-file.ts";
export { syncFolders } from "./sync-folders.ts";
export { systemCode } from "./system-code.ts";
