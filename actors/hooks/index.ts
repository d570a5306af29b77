export { type HookActorOptions, hookActor } from "./hook-actor.ts";
export { HookError } from "./hook-error.ts";
export { runHook } from "./run-hook.ts";
