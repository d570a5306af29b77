export { amendedArguments } from "./amended.ts";
export { digestOf } from "./digest.ts";
export { reviewActor } from "./review.ts";
