export { digestOf } from "./digest.ts";
export { type ReviewOptions, reviewActor, reviewCall } from "./review.ts";
