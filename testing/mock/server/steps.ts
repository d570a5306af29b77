import type { Range, StreamedFault } from "../script/script.ts";
import type { MockResponse, ResponseBlock } from "./response.ts";

/** One step of a streamed response. */
export type Step =
  /** `wait` milliseconds after the step before it. */
  | { readonly do: "send"; readonly data: string; readonly isDelta: boolean; readonly wait: number }
  | { readonly do: "bytes"; readonly bytes: Uint8Array }
  | { readonly do: "silence"; readonly ms: number }
  | { readonly do: "end" }
  | { readonly do: "reset" };

/** A server-sent event. */
const event = (type: string, rest: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
const send = (type: string, rest: object): Step => ({
  do: "send",
  data: event(type, rest),
  isDelta: false,
  wait: 0,
});

/** The stream of a response, without faults. */
export function* stepsOf(message: MockResponse): Generator<Step> {
  const random = randomFrom(message.seed);
  yield send("message_start", {
    message: {
      id: message.id,
      type: "message",
      role: "assistant",
      model: message.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...message.usage, output_tokens: 1 },
    },
  });
  let isFirst = true;
  for (const [index, block] of message.blocks.entries()) {
    yield send("content_block_start", { index, content_block: startOf(block) });
    if (index === 0) yield send("ping", {});
    for (const delta of deltasOf(block, index, random)) {
      yield { do: "send", data: delta, isDelta: true, wait: isFirst ? 0 : draw(block.delayMs, random) };
      isFirst = false;
    }
    yield send("content_block_stop", { index });
  }
  yield send("message_delta", {
    delta: { stop_reason: message.stop, stop_sequence: message.stopSequence },
    usage: message.usage,
  });
  yield send("message_stop", {});
}

/** Insert a fault after `fault.after` deltas, or before the end if there are fewer. */
export function* withFault(steps: Iterable<Step>, fault: StreamedFault): Generator<Step> {
  let deltas = 0;
  let isInserted = false;
  let started = false;
  for (const step of steps) {
    const isEnd = step.do === "send" && step.data.startsWith("event: message_delta\n");
    if (started && !isInserted && (deltas >= fault.after || isEnd)) {
      isInserted = true;
      const { continues, step: inserted } = faultStep(fault);
      yield inserted;
      if (!continues) return;
    }
    yield step;
    started = true;
    if (step.do === "send" && step.isDelta) deltas += 1;
  }
}

function faultStep(fault: StreamedFault): {
  readonly step: Step;
  readonly continues: boolean;
} {
  if (fault.kind === "cut") return { step: { do: fault.cleanly ? "end" : "reset" }, continues: false };
  if (fault.kind === "stall") return { step: { do: "silence", ms: fault.stallMs }, continues: true };
  if (fault.kind === "garbage") return { step: { do: "bytes", bytes: fault.bytes }, continues: true };
  const { type, message } = fault;
  return { step: send("error", { error: { type, message } }), continues: false };
}

function startOf({ block, id }: ResponseBlock): object {
  if (block.kind === "verbatim") return block.start;
  if (block.kind === "text")
    return { type: "text", text: "", ...(block.citations === undefined ? {} : { citations: [] }) };
  if (block.kind === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (block.kind === "redacted") return { type: "redacted_thinking", data: block.data };
  return { type: "tool_use", id, name: block.tool, input: {} };
}

function* deltasOf({ block, chunk }: ResponseBlock, index: number, random: () => number): Generator<string> {
  const of = (delta: object) => event("content_block_delta", { index, delta });
  const inputDelta = (partial_json: string) => of({ type: "input_json_delta", partial_json });
  if (block.kind === "text") {
    yield* split(block.text, chunk, random, (text) => of({ type: "text_delta", text }));
    for (const citation of block.citations ?? []) yield of({ type: "citations_delta", citation });
  } else if (block.kind === "thinking") {
    yield* split(block.text, chunk, random, (thinking) => of({ type: "thinking_delta", thinking }));
    yield of({ type: "signature_delta", signature: block.signature });
  } else if (block.kind === "verbatim") {
    for (const delta of block.deltas) yield of(delta);
    yield* split(block.json, chunk, random, inputDelta);
  } else if (block.kind === "tool") {
    // The API sends no JSON at all for a call without arguments, only one empty delta.
    const json = block.json === "{}" ? "" : block.json;
    if (json === "") yield inputDelta("");
    yield* split(json, chunk, random, inputDelta);
  }
}

/** Split a text into deltas. Equal consecutive deltas are formatted once, as benchmarks repeat one. */
function* split(
  text: string,
  chunk: ResponseBlock["chunk"],
  random: () => number,
  write: (part: string) => string,
): Generator<string> {
  let last: string | undefined;
  let written = "";
  for (let at = 0; at < text.length; ) {
    let end = at + drawWhole(chunk, random);
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    const part = text.slice(at, end);
    if (part !== last) {
      last = part;
      written = write(part);
    }
    yield written;
    at = end;
  }
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** A number of the range; draws only where there is a choice. */
export function draw({ min, max }: Range, random: () => number): number {
  return min === max ? min : min + random() * (max - min);
}

/** A whole number of the range. */
export function drawWhole({ min, max }: Range, random: () => number): number {
  return min === max
    ? Math.floor(min)
    : Math.floor(min) + Math.floor(random() * (Math.floor(max) - Math.floor(min) + 1));
}
