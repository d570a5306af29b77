import type { Feature } from "./feature.ts";

/** The user switches the mode of the task. */
export const modes: Feature = {
  name: "modes",
  events: ({ view: { context }, bounds: { permits, profiles }, at }) =>
    permits || profiles ? [{ type: "mode.switched", at, mode: otherMode(context.mode) }] : [],
};

export const otherMode = (mode: string): string => (mode === "code" ? "ask" : "code");
