export { Sleeper } from "./bell.ts";
export { Feed } from "./feed.ts";
export type { Told } from "./follow.ts";
export { type Position, readPosition } from "./position.ts";
