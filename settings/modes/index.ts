export { modesIn, readModes } from "./read-modes.ts";
