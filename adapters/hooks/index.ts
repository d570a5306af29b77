export { type CommandHookOptions, commandHook } from "./command-hook.ts";
