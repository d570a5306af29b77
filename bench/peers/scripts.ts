import type { Peer } from "./peer.ts";

const PIECE = "word ";
/** Characters with escapes in JSON, and several bytes. */
const LINE = 'const text = "0123456789\\t";  // größer\n';
const FAULT_DELTAS = 50;

/** The text of the last response. */
export const END = "Done.";
export const FAULT_CONTENT = LINE.repeat(FAULT_DELTAS);

export const textOf = (deltas: number): string => PIECE.repeat(deltas);
export const turnText = (item: number): string => `Now I note item ${item}, as requested.`;
export const contentOf = (bytes: number): string => LINE.repeat(Math.ceil(bytes / Buffer.byteLength(LINE)));

type Turn = readonly object[];
type EndsWith = Peer["endsWith"];

/** The last response: a text, and the tool that completes the task where the library wants one. */
const ending = (endsWith: EndsWith, text: unknown): Turn => [
  { text },
  ...(endsWith === "attempt_completion"
    ? [{ tool: "attempt_completion", input: { result: "The task is complete." } }]
    : []),
];

const writing = (times: number): object => ({
  tool: "write",
  input: { path: "file.txt", content: { repeat: LINE, times } },
  chunk: 40,
});

/** Scripts of the mock by name, for libraries that end a task in this way. */
export function scriptsFor(
  endsWith: EndsWith,
  { deltas, turns, bytes }: { readonly deltas: number; readonly turns: number; readonly bytes: number },
) {
  const end = ending(endsWith, END);
  const whole = (times: number): Turn => ending(endsWith, { repeat: PIECE, times });
  const call = [writing(FAULT_DELTAS)];
  const input = [writing(Math.ceil(bytes / Buffer.byteLength(LINE)))];
  const cut = (cleanly: boolean, blocks: Turn): object => ({ cutAfter: FAULT_DELTAS / 2, cleanly, blocks });
  return {
    text: [whole(deltas)],
    turns: [
      ...Array.from({ length: turns }, (_, item) => [
        { text: turnText(item) },
        { tool: "note", input: { item } },
      ]),
      end,
    ],
    toolInput: [input, end],
    waiting: [[{ text: turnText(0) }, { tool: "note", input: { item: 0 } }], end],
    // An agent may retry the request, or add the part that came and request again: the script serves both.
    textReset: [cut(false, whole(FAULT_DELTAS)), whole(FAULT_DELTAS), whole(FAULT_DELTAS)],
    textEnd: [cut(true, whole(FAULT_DELTAS)), whole(FAULT_DELTAS), whole(FAULT_DELTAS)],
    toolReset: [cut(false, call), call, call, end],
    toolEnd: [cut(true, call), call, call, end],
    unresponsive: [call, end],
    overload: [{ status: 529 }, whole(FAULT_DELTAS)],
  } as const;
}

export type ScriptName = keyof ReturnType<typeof scriptsFor>;
