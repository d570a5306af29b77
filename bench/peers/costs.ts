import { heldBytes, measure } from "../harness/index.ts";
import type { Outcome } from "./outcome.ts";
import type { Agents } from "./peer.ts";
import { contentOf, END, textOf, turnText } from "./scripts.ts";
import { note, type Place, runOf, Write, write } from "./tools.ts";
import type { WorkOf } from "./work.ts";

/** Read one long text. */
export async function readText(agents: Agents, { deltas }: WorkOf<"text">, place: Place): Promise<Outcome> {
  const pieces: string[] = [];
  let text = "";
  const spent = await measure(async () => {
    text = await agents.run(runOf(place, [], { onText: (delta) => pieces.push(delta) }));
  });
  assertEqual("the text in deltas", pieces.join(""), textOf(deltas));
  assertEqual("the final text", text, textOf(deltas));
  return { ...spent, peakBytes: peakBytes() };
}

/** Run a loop of turns with one small tool call each. */
export async function takeTurns(agents: Agents, { turns }: WorkOf<"turns">, place: Place): Promise<Outcome> {
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

/** Run a tool with a large input. */
export async function takeInput(
  agents: Agents,
  { bytes }: WorkOf<"toolInput">,
  place: Place,
): Promise<Outcome> {
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

/** Hold many agents that wait at an approval, and measure the memory of each. */
export async function holdWaiting(
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

function assertEqual(what: string, received: string, expected: string): void {
  if (received === expected) return;
  const shown = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}...` : text);
  throw new Error(
    `Wrong: ${what}. Expected ${expected.length} characters, received ${received.length}: ${shown(received)}`,
  );
}

/** Peak memory of the process, as the system counts it. */
const peakBytes = (): number => process.resourceUsage().maxRSS * 1024;
