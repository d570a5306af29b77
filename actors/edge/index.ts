export { type EdgeActors, type EdgeOptions, edgeActors, type LlmBounds } from "./edge-actors.ts";
