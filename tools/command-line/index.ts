export { expand, isAssignment, programIn } from "./command-forms.ts";
export { type SimpleCommand, splitCommand, type Word } from "./command-parts.ts";
export { ignoredPathIn } from "./ignored-path.ts";
export {
  DEFAULT_SHELL,
  isPosixShell,
  isWrapper,
  OTHER_SHELLS,
  POSIX_SHELLS,
  programName,
} from "./programs.ts";
export { judgedWords, programPosition } from "./wrapped-program.ts";
