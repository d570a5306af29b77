import type { Agents, Peer } from "../peer.ts";

/** The engine with a journal that is synced to disk before a tool starts. */
export const signalboxFile = signalbox("signalbox, file journal", async () => {
  const { agentsOf, createHost } = await import("./signalbox-agents.ts");
  return agentsOf((dataDir) => createHost({ dataDir }));
});

/** The engine with its journal in memory. */
export const signalboxMemory = signalbox("signalbox, memory journal", async () => {
  const { agentsOf, createHost, memoryJournal } = await import("./signalbox-agents.ts");
  return agentsOf((dataDir) => createHost({ dataDir, journal: () => memoryJournal() }));
});

/** The engine is imported on demand: it is no part of the process of another peer. */
function signalbox(name: string, load: () => Promise<Agents>): Peer {
  return {
    name,
    packages: [],
    imports: ["signalbox", "@anthropic-ai/sdk"],
    endsWith: "attempt_completion",
    load,
  };
}
