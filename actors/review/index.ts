export { digestOf } from "./digest.ts";
export { type ReviewOptions, reviewActor } from "./review.ts";
