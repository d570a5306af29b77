export { createOpenAsks } from "./ask/open-asks.ts";
export { CallTracker } from "./calls/call-tracker.ts";
export { RepeatedEffectError } from "./calls/started-calls.ts";
export { systemPrompt } from "./context/system-prompt.ts";
export { edgeActors } from "./edge-actors.ts";
export { llmActor } from "./llm/llm-actor.ts";
export { type Edge, immediateEdge, systemClock } from "./protocol/edge.ts";
export { fromEvents, MissingTerminalError } from "./protocol/from-events.ts";
export { toolActor } from "./tool/tool.ts";
