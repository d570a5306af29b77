import type { ModelTool } from "../../ports/model.ts";
import { type Parameters, parametersOf, type ValueFormat } from "./parameters.ts";

/** Maximum white space between two tags of a call, in characters. */
const SPACE_MAX_CHARS = 1_000;

/** A text may still become a tag. */
export type Partial = "partial";

export interface Tag {
  readonly tag: string;
}

/** The tag after a tag of a call: the next parameter, or its end. `end`: the position after that tag. */
export type NextTag =
  | { readonly kind: "parameter"; readonly name: string; readonly format: ValueFormat; readonly end: number }
  | { readonly kind: "close"; readonly end: number };

/** The markup of a tool. */
export interface ToolMarkup {
  readonly name: string;
  readonly parameters: Parameters;
}

/** The markup of the offered tools, by their opening tags. */
export const markupOf = (tools: readonly ModelTool[]): ReadonlyMap<string, ToolMarkup> =>
  new Map(tools.map((tool) => [`<${tool.name}>`, { name: tool.name, parameters: parametersOf(tool) }]));

/** The tag at a position; undefined if it is none of these. */
export function tagAt(text: string, at: number, tags: Iterable<string>): Tag | Partial | undefined {
  const isAtEnd = (tag: string): boolean => text.length - at < tag.length && tag.startsWith(text.slice(at));
  let found: Partial | undefined;
  for (const tag of tags) {
    if (text.startsWith(tag, at)) return { tag };
    if (isAtEnd(tag)) found = "partial";
  }
  return found;
}

/**
 * The tag of a call that follows at a position, after white space; undefined if something else follows. A parameter that
 * the call has already is none.
 */
export function nextTag(
  text: string,
  at: number,
  { name: tool, parameters }: ToolMarkup,
  given: ReadonlySet<string>,
): NextTag | Partial | undefined {
  const start = skipSpace(text, at);
  if (start === undefined) return undefined;
  const close = `</${tool}>`;
  const open = [...parameters.keys()].filter((name) => !given.has(name)).map((name) => `<${name}>`);
  const found = tagAt(text, start, [close, ...open]);
  if (found === undefined || found === "partial") return found;
  const { tag } = found;
  const end = start + tag.length;
  if (tag === close) return { kind: "close", end };
  const name = tag.slice(1, -1);
  return { kind: "parameter", name, format: parameters.get(name) ?? "text", end };
}

/** The position after white space; undefined if there is too much of it. */
export function skipSpace(text: string, at: number): number | undefined {
  const rest = text.slice(at, at + SPACE_MAX_CHARS);
  const length = rest.length - rest.trimStart().length;
  return length < SPACE_MAX_CHARS ? at + length : undefined;
}
