import { stringify } from "yaml";
import * as notices from "../../machines/conversation/notices.ts";
import type { EffectEvent, TaskEmitted, TaskEvent } from "../../machines/task/task.events.ts";
import { emittedLine, formatCrash } from "../../verify/trace.ts";
import { MAX_WIDTH } from "./summary.ts";
import type { RunStep } from "./task-run.ts";

/** A value in the short notation of YAML, on one line. */
const short = (value: unknown): string =>
  stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trim();

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A review without what it says of most calls: it is valid, and starts no replay. */
function reviewed({
  valid,
  digest: _digest,
  revision,
  replayable,
  text,
  ...rest
}: Record<string, unknown>): object {
  return {
    ...(valid === true ? {} : { valid }),
    ...(revision === 0 ? {} : { revision }),
    ...(replayable === true && { replayable }),
    ...rest,
    ...(text !== undefined && { text: contentOf(text) }),
  };
}

/** Tokens and cost, alone or among other fields, as a text: `10 in 5 out $0.01`. */
function withUsage(fields: unknown): unknown {
  if (!isObject(fields)) return fields;
  if (isObject(fields.usage)) return { ...fields, ...usage(fields.usage) };
  return "tokensIn" in fields ? usage(fields) : fields;
}

function usage(fields: Record<string, unknown>): object {
  const { tokensIn, tokensOut, cacheWrites, cacheReads, cost, ...rest } = fields;
  const cached = cacheWrites === 0 && cacheReads === 0 ? "" : ` ${cacheWrites} written ${cacheReads} read`;
  return { ...rest, usage: `${tokensIn} in ${tokensOut} out${cached} $${cost}` };
}

/** The content of a text of a message that is itself JSON; the text if it isn't. */
function contentOf(text: unknown): unknown {
  if (typeof text !== "string" || !/^\{.*\}$/.test(text)) return text;
  return JSON.parse(text);
}

/** A text for the model: of a notice, which `notices.txt` shows, only the first sentence. */
const words = (text: string): string =>
  JSON.stringify(text.startsWith(NOTICE) ? `${/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text} …` : text);

const NOTICE = /^\[[^\]]*\]/.exec(notices.cutAtLimit())?.[0] ?? "";

/** A block of the conversation: a text alone, a call or a result with its id. */
function block(value: unknown): string {
  if (!isObject(value)) return short(value);
  const { type, ...rest } = value;
  if (type === "text") return words(String(rest.text));
  if (type === "tool_use") return `${rest.id} calls ${rest.name} ${short(rest.input)}`;
  if (type === "tool_result") {
    const { tool_use_id, content, is_error } = rest;
    return `${tool_use_id}${is_error === true ? " fails" : ""}: ${blocks(content)}`;
  }
  return short(value);
}

const blocks = (value: unknown): string =>
  Array.isArray(value) ? value.map(block).join(" | ") : block(contentOf(value));

/** A fact in the short notation. */
function shortFact(event: TaskEmitted): string | undefined {
  switch (event.type) {
    case "entry.appended":
      return `> ${event.entry.role}: ${blocks(event.entry.content)}`;
    case "entry.extended":
      return `> more: ${blocks(event.content)}`;
    case "message.amended": {
      const { text, ...rest } = event.patch;
      return `~ ${event.ts} ${short(text === undefined ? rest : { text: withUsage(contentOf(text)), ...rest })}`;
    }
    default:
      return emittedLine(event);
  }
}

/** An event in the short notation, without the content that an entry shows. */
function shortEvent({ type, at: _at, ...fields }: TaskEvent, emitted: readonly TaskEmitted[]): string {
  if ("review" in fields) return `${type} ${fields.callId} ${short(reviewed({ ...fields.review }))}`;
  const isShown = emitted.some(
    (event) => event.type === "entry.appended" && event.entry.role === "assistant",
  );
  const { content: _content, ...others }: Record<string, unknown> = fields;
  const shown = isShown ? others : fields;
  return Object.keys(shown).length === 0 ? type : `${type} ${short(withUsage(shown))}`;
}

/** An actor that was started or stopped. The id of most actors has their kind. */
function shortActor({ type, effect, id }: EffectEvent): string {
  const verb = type === "effect.started" ? "start" : "stop";
  return id === effect || id.includes(":") ? `${verb} ${id}` : `${verb} ${effect} ${id}`;
}

/** Facts that fit are on the line of the one before. */
function lines(parts: readonly string[]): string {
  const packed: string[] = [];
  for (const part of parts) {
    const last = packed.at(-1);
    const line = last === undefined ? part : `${last} ; ${part}`;
    if (last !== undefined && line.length <= MAX_WIDTH) packed[packed.length - 1] = line;
    else packed.push(last === undefined ? part : `    ${part}`);
  }
  return packed.join("\n");
}

/** A macrostep with its state and actors behind the event, or a crash. */
export function shortStep(step: RunStep): string {
  if ("crash" in step)
    return lines(
      formatCrash(step.crash)
        .split("\n")
        .map((line) => line.trimStart()),
    );
  const { event, emitted, state } = step;
  const actors = emitted.flatMap((each) => (isEffect(each) ? [shortActor(each)] : []));
  const facts = emitted.flatMap((each) => (isEffect(each) ? [] : (shortFact(each) ?? [])));
  const head = `${shortEvent(event, emitted)}  = ${state}`;
  return lines([actors.length > 0 ? `${head}  (${actors.join(", ")})` : head, ...facts]);
}

const isEffect = (event: TaskEmitted): event is EffectEvent =>
  event.type === "effect.started" || event.type === "effect.stopped";
