import { posix } from "node:path";
import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import { memoize } from "../../machines/conversation/memoize.ts";
import type { Registry } from "../../tools/registry.ts";
import type { Tool } from "../../tools/tool.ts";
import { attributeOf, FILE_CONTENT } from "./element.ts";

/** A file whose content the model knows. */
export interface KnownFile {
  /** As a tool call names it, normalized; relative to the workspace unless it is outside. */
  readonly path: string;
  /** The position of the entry that has its content, or the result of the call that wrote it. */
  readonly position: number;
}

/** The files that tools read or wrote, or that a mention attached, newest first. */
export function knownFiles(
  conversation: Conversation,
  { registry, root, limit }: { readonly registry: Registry; readonly root: string; readonly limit: number },
): readonly KnownFile[] {
  const files = new Map<string, KnownFile>();
  const add = (paths: readonly string[], position: number): void => {
    for (const named of paths) {
      const path = named.startsWith(`${root}/`) ? named.slice(root.length + 1) : named;
      if (!files.has(path) && files.size < limit) files.set(path, { path, position });
    }
  };
  let start = conversation.length;
  for (const entries of [...conversation.leaves()].reverse()) {
    const results = conversation.at(start);
    const last = entries.at(-1);
    if (last !== undefined && results !== undefined) add(pathsOf(registry, last, results), start);
    start -= entries.length;
    for (const [path, offset] of filesWithin(registry)(entries)) add([path], start + offset);
    if (files.size >= limit) break;
  }
  return [...files.values()];
}

/**
 * The files whose content a request has in the results of `response`. A file that is read before a call that may change
 * it is none of them.
 *
 * @param done the `tool_use` ids of its successful calls
 */
export function filesOfResults(
  registry: Registry,
  response: Entry | undefined,
  done: ReadonlySet<string>,
): ReadonlySet<string> {
  const files = new Set<string>();
  let mayChange = false;
  for (const { id, paths, effect } of response === undefined ? [] : callsOf(registry)(response)) {
    if (done.has(id) && !(mayChange && effect === "reads")) for (const path of paths) files.add(path);
    mayChange ||= effect === "executes" || effect === "delegates";
  }
  return files;
}

/** The files that entries in an array tell of, newest first: versions of a conversation share these arrays. */
const filesWithin = memoize((registry: Registry) =>
  memoize((entries: readonly Entry[]): ReadonlyMap<string, number> => {
    const files = new Map<string, number>();
    for (let offset = entries.length - 1; offset >= 0; offset -= 1) {
      const [response, entry] = [entries[offset - 1], entries[offset]];
      if (entry === undefined) continue;
      const paths = [
        ...attachedIn(entry),
        ...(response === undefined ? [] : pathsOf(registry, response, entry)),
      ];
      for (const path of paths) if (!files.has(path)) files.set(path, offset);
    }
    return files;
  }),
);

/** The files of a response's successful calls, the last call first. */
function pathsOf(registry: Registry, response: Entry, results: Entry): readonly string[] {
  const calls = callsOf(registry)(response);
  if (calls.length === 0) return [];
  const succeeded = new Set(
    results.content.flatMap((block) =>
      block.type === "tool_result" && block.is_error !== true ? [block.tool_use_id] : [],
    ),
  );
  return calls.flatMap(({ id, paths }) => (succeeded.has(id) ? paths : []));
}

interface Call {
  readonly id: string;
  readonly effect: Tool["effect"];
  /** The files that it reads or writes. */
  readonly paths: readonly string[];
}

/** The calls of a response, the last one first. */
const callsOf = memoize((registry: Registry) =>
  memoize(({ content }: Entry): readonly Call[] =>
    content
      .flatMap((block) => {
        const tool = block.type === "tool_use" ? registry.find(block.name) : undefined;
        if (block.type !== "tool_use" || tool === undefined) return [];
        const prepared = tool.prepare(block.input);
        const paths = (prepared.ok ? prepared.call.files : undefined) ?? [];
        return [{ id: block.id, effect: tool.effect, paths: paths.map((path) => posix.normalize(path)) }];
      })
      .reverse(),
  ),
);

const attachedIn = memoize(({ role, content }: Entry): readonly string[] =>
  role === "assistant"
    ? []
    : content.flatMap((block) =>
        block.type === "text" ? (attributeOf(FILE_CONTENT, "path", block.text) ?? []) : [],
      ),
);
