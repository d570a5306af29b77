export { type ContextOptions, contextActor } from "./context.ts";
