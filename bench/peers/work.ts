import { z } from "zod";
import { heldBytes, measure } from "../harness/index.ts";
import type { Agents, PeerRun, PeerTool } from "./peer.ts";
import { contentOf, END, FAULT_CONTENT, textOf, turnText } from "./scripts.ts";

/** What a child process is to do with its agents. */
export const Work = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), deltas: z.number() }),
  z.object({ kind: z.literal("turns"), turns: z.number() }),
  z.object({ kind: z.literal("toolInput"), bytes: z.number() }),
  z.object({ kind: z.literal("waiting"), agents: z.number(), warm: z.number() }),
  z.object({ kind: z.literal("textFault"), deltas: z.number() }),
  z.object({ kind: z.literal("toolFault") }),
  z.object({ kind: z.literal("unresponsive"), limitMs: z.number() }),
]);
export type Work = z.infer<typeof Work>;
export type Kind = Work["kind"];
type WorkOf<K extends Kind> = Extract<Work, { kind: K }>;

/** What came of it: figures, or for a fault what the library did. */
export const Outcome = z.object({
  cpuMs: z.number().optional(),
  wallMs: z.number().optional(),
  peakBytes: z.number().optional(),
  bytesPerAgent: z.number().optional(),
  verdict: z.enum(["pass", "error", "FAIL"]).optional(),
  what: z.string().optional(),
});
export type Outcome = z.infer<typeof Outcome>;

export type Place = Pick<PeerRun, "url" | "folder" | "prompt">;

/** Run this work, and check the result. @throws Error if the result is wrong */
export async function perform(agents: Agents, work: Work, place: Place): Promise<Outcome> {
  switch (work.kind) {
    case "text":
      return readText(agents, work, place);
    case "turns":
      return takeTurns(agents, work, place);
    case "toolInput":
      return takeInput(agents, work, place);
    case "waiting":
      return holdWaiting(agents, work, place);
    case "textFault":
      return surviveInText(agents, work, place);
    case "toolFault":
      return surviveInInput(agents, place);
    case "unresponsive":
      return cancelUnresponsive(agents, work, place);
  }
}

const Note = z.object({ item: z.number() });
const Write = z.object({ path: z.string(), content: z.string() });

const note = (run: (item: number) => string): PeerTool => ({
  name: "note",
  description: "Notes an item.",
  input: Note,
  run: async (input) => run(Note.parse(input).item),
});

/** A tool that takes any input: the peer is to check it. */
const write = (run: (input: unknown) => Promise<string>): PeerTool => ({
  name: "write",
  description: "Writes a file.",
  input: Write,
  run,
});

const runOf = (place: Place, tools: readonly PeerTool[], more: Partial<PeerRun> = {}): PeerRun => ({
  ...place,
  tools,
  requestsMax: 20,
  onText: () => undefined,
  signal: new AbortController().signal,
  ...more,
});

async function readText(agents: Agents, { deltas }: WorkOf<"text">, place: Place): Promise<Outcome> {
  const pieces: string[] = [];
  let text = "";
  const spent = await measure(async () => {
    text = await agents.run(runOf(place, [], { onText: (delta) => pieces.push(delta) }));
  });
  assertEqual("the text in deltas", pieces.join(""), textOf(deltas));
  assertEqual("the final text", text, textOf(deltas));
  return { ...spent, peakBytes: peakBytes() };
}

async function takeTurns(agents: Agents, { turns }: WorkOf<"turns">, place: Place): Promise<Outcome> {
  const items: number[] = [];
  const pieces: string[] = [];
  const tool = note((item) => {
    items.push(item);
    return "Noted.";
  });
  let text = "";
  const spent = await measure(async () => {
    const more = { requestsMax: turns + 2, onText: (delta: string) => void pieces.push(delta) };
    text = await agents.run(runOf(place, [tool], more));
  });
  const expected = Array.from({ length: turns }, (_, item) => item);
  assertEqual("the tool calls", items.join(), expected.join());
  assertEqual("the text in deltas", pieces.join(""), [...expected.map(turnText), END].join(""));
  assertEqual("the final text", text, END);
  return { ...spent, peakBytes: peakBytes() };
}

async function takeInput(agents: Agents, { bytes }: WorkOf<"toolInput">, place: Place): Promise<Outcome> {
  const inputs: unknown[] = [];
  const tool = write(async (input) => {
    inputs.push(input);
    return "Written.";
  });
  let text = "";
  const spent = await measure(async () => {
    text = await agents.run(runOf(place, [tool]));
  });
  assertEqual("the number of tool calls", String(inputs.length), "1");
  const { path, content } = Write.strict().parse(inputs[0]);
  assertEqual("the path", path, "file.txt");
  assertEqual("the content", content, contentOf(bytes));
  assertEqual("the final text", text, END);
  return { ...spent, peakBytes: peakBytes() };
}

/** How many agents start at the same time. */
const AT_ONCE = 8;

async function holdWaiting(
  agents: Agents,
  { agents: count, warm }: WorkOf<"waiting">,
  place: Place,
): Promise<Outcome> {
  if (agents.waiting === undefined) return { what: "none" };
  let executed = 0;
  const tool = note(() => {
    executed += 1;
    return "Noted.";
  });
  const start = await agents.waiting(runOf(place, [tool]));
  const held: unknown[] = [];
  const hold = async (agentsHeld: number): Promise<void> => {
    let left = agentsHeld;
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        held.push(await start());
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  // The first agents also load and compile code: they are not counted.
  await hold(warm);
  const before = await heldBytes();
  await hold(count);
  const bytes = (await heldBytes()) - before;
  assertEqual("the number of agents held", String(held.length), String(warm + count));
  assertEqual("the number of tool calls without approval", String(executed), "0");
  return { bytesPerAgent: bytes / count };
}

async function surviveInText(
  agents: Agents,
  { deltas }: WorkOf<"textFault">,
  place: Place,
): Promise<Outcome> {
  const ended = await settle(agents.run(runOf(place, [])));
  if (ended.error !== undefined) return { verdict: "error", what: ended.error };
  if (ended.text === textOf(deltas)) return { verdict: "pass", what: "recovered" };
  if (ended.text.endsWith(textOf(deltas)))
    return { verdict: "pass", what: "recovered, after the part that came" };
  const [received, expected] = [ended.text.length, textOf(deltas).length];
  return { verdict: "FAIL", what: `${received} of ${expected} characters taken for the whole text` };
}

async function surviveInInput(agents: Agents, place: Place): Promise<Outcome> {
  const inputs: unknown[] = [];
  const tool = write(async (input) => {
    inputs.push(input);
    return "Written.";
  });
  const ended = await settle(agents.run(runOf(place, [tool])));
  const wrong = inputs.find((input) => Write.safeParse(input).data?.content !== FAULT_CONTENT);
  if (wrong !== undefined) {
    const length = Write.safeParse(wrong).data?.content.length ?? 0;
    return { verdict: "FAIL", what: `tool ran with ${length} of ${FAULT_CONTENT.length} characters` };
  }
  if (ended.error !== undefined) return { verdict: "error", what: ended.error };
  if (inputs.length === 0) return { verdict: "FAIL", what: "ended as a success, and the tool never ran" };
  return { verdict: "pass", what: "recovered" };
}

async function cancelUnresponsive(
  agents: Agents,
  { limitMs }: WorkOf<"unresponsive">,
  place: Place,
): Promise<Outcome> {
  const abort = new AbortController();
  let onStart = (): void => {};
  const started = new Promise<void>((resolve) => {
    onStart = resolve;
  });
  const tool = write(() => {
    onStart();
    // Neither settles nor watches its signal.
    return new Promise<never>(() => {});
  });
  const run = settle(agents.run(runOf(place, [tool], { signal: abort.signal })));
  await Promise.race([started, run]);
  const before = performance.now();
  abort.abort();
  const limit = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), limitMs));
  const ended = await Promise.race([run, limit]);
  if (ended === undefined) return { verdict: "FAIL", what: `not settled after ${limitMs / 1000} s` };
  return { verdict: "pass", what: `settled in ${Math.ceil(performance.now() - before)} ms` };
}

/** Wait for a run. A failure becomes the first line of its error. */
async function settle(run: Promise<string>): Promise<{ readonly text: string; readonly error?: string }> {
  try {
    return { text: await run };
  } catch (error) {
    const message = error instanceof Error ? error.message : JSON.stringify(error);
    return { text: "", error: (message || "an error without a message").split("\n", 1)[0] ?? "" };
  }
}

function assertEqual(what: string, received: string, expected: string): void {
  if (received === expected) return;
  const shown = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}...` : text);
  throw new Error(
    `Wrong: ${what}. Expected ${expected.length} characters, received ${received.length}: ${shown(received)}`,
  );
}

/** Peak memory of the process, as the system counts it. */
const peakBytes = (): number => process.resourceUsage().maxRSS * 1024;
