export { amendedArguments } from "./amended.ts";
export { digestOf } from "./digest.ts";
export { type JudgeStart, reviewActor } from "./review.ts";
