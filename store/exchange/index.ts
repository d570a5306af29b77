export { type Exported, type ExportOptions, exportFolder } from "./export-folder.ts";
export { type Imported, type ImportOptions, importFolder } from "./import-folder.ts";
