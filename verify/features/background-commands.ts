import type { Feature } from "./feature.ts";
import { toolEvents } from "./running-tools.ts";

/** Commands report their output and their end in the background. */
export const backgroundCommands: Feature = {
  name: "background commands",
  parts: { background: ({ view: { context } }) => context.background.length },
  events: ({ view: { context }, at }) => context.background.flatMap(({ callId }) => toolEvents(callId, at)),
};
