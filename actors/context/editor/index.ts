export { editorProblems } from "./diagnostics.ts";
export type { EditorReader } from "./read-editor.ts";
export { editorStates } from "./sections.ts";
