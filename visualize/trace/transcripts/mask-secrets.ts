import type { Entry } from "../../../machines/conversation/entry.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { Transcript, TranscriptEntry } from "./transcript.ts";

/** The text in place of a secret. */
const MASK = "[masked]";

/** Names of values that are secrets, in a command, a file or JSON. */
const NAMES =
  "passw(?:or)?d|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|authorization|credential";

/** Secrets with a form of their own. Each repetition is bounded, so that the time is linear. */
const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_](?:[a-z]{1,10}[-_])?[A-Za-z0-9_-]{16,200}/g,
  /\b(?:gh[pousr]|github_pat|glpat|npm|hf)[-_][A-Za-z0-9_-]{20,200}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,60}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,200}/g,
  /\beyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{0,4096}/g,
  /(?<=\b(?:Bearer|Basic)\s)[A-Za-z0-9._~+/=-]{8,4096}/gi,
  /(?<=:\/\/[^\s:@/]{1,200}:)[^\s@/]{1,200}(?=@)/g,
];

const NAMED = new RegExp(
  `((?:${NAMES})[\\w-]{0,40}\\\\?["']?\\s{0,10}[:=]\\s{0,10}\\\\?["']?)([^\\s"'\\\\,;&}]{4,4096})`,
  "gi",
);
const IS_NAME = new RegExp(NAMES, "i");

/** A text without the secrets that are known by their form or by the name before them. */
export const maskSecrets = (text: string): string =>
  SECRETS.reduce((masked, secret) => masked.replaceAll(secret, MASK), text).replaceAll(NAMED, `$1${MASK}`);

/** The number of masked places in a text. */
export const countMasked = (text: string): number => text.split(MASK).length - 1;

/** A session without the secrets in its texts and in the arguments of its calls. */
export const maskedTranscript = (transcript: Transcript): Transcript => ({
  ...transcript,
  ...(transcript.title !== undefined && { title: maskSecrets(transcript.title) }),
  entries: transcript.entries.map(maskedEntry),
});

function maskedEntry(entry: TranscriptEntry): TranscriptEntry {
  switch (entry.kind) {
    case "prompt":
    case "text":
    case "result":
      return { ...entry, text: maskSecrets(entry.text) };
    case "thinking":
      // Without its signature: the text is not what the endpoint signed.
      return { at: entry.at, kind: "thinking", text: maskSecrets(entry.text) };
    case "call":
      return { ...entry, input: maskedFields(entry.input) };
    case "response":
      return { ...entry, ...(entry.error !== undefined && { error: maskSecrets(entry.error) }) };
    case "compaction":
      return { ...entry, summary: maskSecrets(entry.summary) };
    case "turn.ended":
      return { ...entry, ...(entry.text !== undefined && { text: maskSecrets(entry.text) }) };
    case "message":
      return { ...entry, message: maskedMessage(entry.message) };
    case "entry":
      return { ...entry, entry: maskedEntryOf(entry.entry) };
    case "raw":
      return { ...entry, json: maskSecrets(entry.json) };
    case "request":
    case "approved":
      return entry;
  }
}

function maskedMessage(message: ClineMessage): ClineMessage {
  const { text, reasoning, contextCondense } = message;
  return {
    ...message,
    ...(typeof text === "string" && { text: maskSecrets(text) }),
    ...(reasoning !== undefined && { reasoning: maskSecrets(reasoning) }),
    ...(contextCondense !== undefined && { contextCondense: maskedFields(contextCondense) }),
  };
}

function maskedEntryOf(entry: Entry): Entry {
  if (entry.role === "user") return { ...entry, content: entry.content.map(maskedBlock) };
  return { ...entry, content: entry.content.map(maskedBlock) };
}

/** A block with masked texts and arguments. What an endpoint signed or encrypted is not changed. */
function maskedBlock<B extends Entry["content"][number]>(block: B): B {
  if (block.type === "text") return { ...block, text: maskSecrets(block.text) };
  if (block.type === "tool_use") return { ...block, input: maskedFields(block.input) };
  return block.type === "tool_result" ? { ...block, content: block.content.map(maskedBlock) } : block;
}

const maskedFields = (fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      maskSecrets(name),
      typeof value === "string" && IS_NAME.test(name) ? MASK : maskedValue(value),
    ]),
  );

/** A value of JSON without the secrets in its texts, the names of its fields, and the fields whose names are of secrets. */
export function maskedValue(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (Array.isArray(value)) return value.map(maskedValue);
  return typeof value === "object" && value !== null ? maskedFields(value) : value;
}
