export { readModes } from "./read-modes.ts";
