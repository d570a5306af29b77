export { type HookActorOptions, hookActor } from "./hook-actor.ts";
export { runHook } from "./run-hook.ts";
