export { createFolder } from "./create-folder.ts";
export {
  checkpointsRoot,
  deletedMark,
  LOCK,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  tasksFolder,
} from "./data-folder.ts";
export { splitFrontMatter } from "./front-matter.ts";
export { type FileStart, readStart } from "./read-start.ts";
export { isWritable, replaceContent } from "./replace-content.ts";
export { replaceFile, writePrivateFile } from "./replace-file.ts";
export { syncFolders } from "./sync-folders.ts";
export { systemCode } from "./system-code.ts";
