export { digestOf } from "./digest.ts";
export { reviewActor } from "./review.ts";
