export { Feed, type Telling } from "./feed.ts";
export { readPosition } from "./position.ts";
