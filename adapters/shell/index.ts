export { isExecutable } from "./executable-file.ts";
export { COMMAND_MARK, type ProcessTree, processTree } from "./process-tree.ts";
export { type ProcessExit, runProcess } from "./run-process.ts";
export { type ShellOptions, type SystemShell, secretNames, systemShell, withoutSecrets } from "./shell.ts";
