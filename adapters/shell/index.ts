export { type ShellOptions, type SystemShell, systemShell } from "./shell.ts";
