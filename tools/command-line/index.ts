export { expand, isAssignment, programIn } from "./command-forms.ts";
export { type SimpleCommand, splitCommand, type Word } from "./command-parts.ts";
export { ignoredPathIn } from "./ignored-path.ts";
export { DEFAULT_SHELL, isPosixShell } from "./programs.ts";
