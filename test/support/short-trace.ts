import { stringify } from "yaml";
import * as notices from "../../machines/conversation/notices.ts";
import { MAX_WIDTH } from "./summary.ts";

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
function shortFact(line: string): string {
  const [, entry, content] = /^(> [^:]+: )(\[.*\])$/.exec(line) ?? [];
  if (entry !== undefined && content !== undefined) return entry + blocks(JSON.parse(content));
  const [, amended, patch] = /^(~ \d+ )(\{.*\})$/.exec(line) ?? [];
  if (amended === undefined || patch === undefined) return line;
  const { text, ...rest } = JSON.parse(patch);
  return amended + short(text === undefined ? rest : { text: withUsage(contentOf(text)), ...rest });
}

/** An event in the short notation. */
function shortEvent(line: string): string {
  const [, type, json] = /^(\S+) (\{.*\})$/.exec(line) ?? [];
  if (type === undefined || json === undefined) return line;
  const fields = JSON.parse(json);
  if (isObject(fields.review)) return `${type} ${fields.callId} ${short(reviewed(fields.review))}`;
  return `${type} ${short(withUsage(fields))}`;
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

/** A macrostep with its state and actors behind the event, which does not repeat the entry that it appends. */
export function shortMacrostep(macrostep: string): string {
  const all = macrostep.split("\n");
  const isActor = (line: string) => /^ {4}(?:start|stop) /.test(line);
  const [event = "", ...facts] = all.filter((line) => !isActor(line) && !line.startsWith("  = "));
  const content = facts.flatMap((line) => /^ {4}> assistant: (.+)$/.exec(line)?.[1] ?? []);
  const without = content.reduce((text, entry) => text.replace(`"content":${entry},`, ""), event);
  const state = all.filter((line) => line.startsWith("  = "));
  const actors = all
    .filter(isActor)
    .map((line) => line.trim().replace(/ (?:(\S+) \1|\S+ (\S+:\S+))$/, " $1$2"));
  const head = [shortEvent(without), ...state, ...(actors.length > 0 ? [`  (${actors.join(", ")})`] : [])];
  return lines([head.join(""), ...facts.map((fact) => shortFact(fact.trimStart()))]);
}
