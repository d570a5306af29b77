export { openingActor } from "./opening.ts";
