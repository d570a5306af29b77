import { z } from "zod";
import type { PeerRun, PeerTool } from "./peer.ts";

/** Where a run takes place. */
export type Place = Pick<PeerRun, "url" | "folder" | "prompt">;

const Note = z.object({ item: z.number() });
export const Write = z.object({ path: z.string(), content: z.string() });

/** A tool with a small input. */
export const note = (run: (item: number) => string): PeerTool => ({
  name: "note",
  description: "Notes an item.",
  input: Note,
  run: async (input) => run(Note.parse(input).item),
});

/** A tool that takes any input: the peer is to check it. */
export const write = (run: (input: unknown) => Promise<string>): PeerTool => ({
  name: "write",
  description: "Writes a file.",
  input: Write,
  run,
});

/** A run with these tools. */
export const runOf = (place: Place, tools: readonly PeerTool[], more: Partial<PeerRun> = {}): PeerRun => ({
  ...place,
  tools,
  requestsMax: 20,
  onText: () => undefined,
  signal: new AbortController().signal,
  ...more,
});
