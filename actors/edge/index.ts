export { type EdgeActors, type EdgeOptions, edgeActors } from "./edge-actors.ts";
