import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import {
  CURRENT_TIME,
  type EnvironmentSection,
  environmentSection,
  escapeEnvironment,
  sectionsIn,
} from "../../machines/conversation/environment.ts";
import { memoize } from "../../machines/conversation/memoize.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Registry } from "../../tools/registry.ts";
import { oneLine } from "./element.ts";
import { filesOfResults, type KnownFile, knownFiles } from "./known-files.ts";

export interface ChangedFilesOptions {
  readonly workspace: Pick<Workspace, "root" | "changeTimes">;
  readonly registry: Registry;
  /** Maximum number of files that are checked: those that the model accessed last. */
  readonly trackedFiles: number;
  /** Maximum number of files in the section. */
  readonly changedFiles: number;
  /** The time of the request. A later change is for the next one. */
  readonly now: number;
  /** The `tool_use` ids of the newest response's successful calls: the request has their results. */
  readonly done: readonly string[];
}

const CHANGED = "Changed files";

/** Milliseconds by which the time of a file may lag: the kernel takes it from a clock with this resolution. */
const FILE_TIME_LAG_MS = 10;

/**
 * The section with the files that changed after the model last read or wrote them. It has each change once: those since the
 * newest environment block of the conversation.
 */
export async function changedFiles(
  conversation: Conversation,
  options: ChangedFilesOptions,
): Promise<EnvironmentSection | undefined> {
  const lines = await changes(conversation, options);
  if (lines.length === 0) return undefined;
  const more = lines.length - options.changedFiles;
  const shown = more > 0 ? [...lines.slice(0, options.changedFiles), `(${more} more)`] : lines;
  return environmentSection(CHANGED, shown.join("\n"));
}

/** The section for changes that could not be found. */
export const changesUnknown = (reason: string): EnvironmentSection =>
  environmentSection(CHANGED, `(could not be checked: ${oneLine(reason)})`);

async function changes(conversation: Conversation, options: ChangedFilesOptions): Promise<readonly string[]> {
  const { workspace, registry, trackedFiles, now, done } = options;
  const { root } = workspace;
  const last = newestTime(conversation);
  if (last === undefined) return [];
  const accessed = filesOfResults(registry, conversation.at(-1), new Set(done));
  const files = knownFiles(conversation, { registry, root, limit: trackedFiles }).filter(
    ({ path }) => !accessed.has(path) && !accessed.has(`${root}/${path}`),
  );
  if (files.length === 0) return [];
  const times = await workspace.changeTimes(files.map(({ path }) => path));
  const suspects = files.flatMap((file) => {
    if (!times.has(file.path)) return [];
    const changedAt = times.get(file.path);
    const isRecent = changedAt === undefined || (changedAt > last - FILE_TIME_LAG_MS && changedAt <= now);
    return isRecent ? [{ ...file, changedAt }] : [];
  });
  const listings = newestListings(conversation, suspects);
  return suspects.flatMap(({ path, position, changedAt }) => {
    const listing = listings.get(path);
    if (changedAt === undefined) return listing?.isDeleted === true ? [] : [lineOf("deleted", path)];
    const known = Math.max(listing?.at ?? 0, timeAt(conversation, position) ?? last);
    return changedAt > known ? [lineOf("modified", path)] : [];
  });
}

const lineOf = (change: "deleted" | "modified", path: string): string =>
  escapeEnvironment(`- ${change}: ${oneLine(path)}`);

interface Listing {
  readonly isDeleted: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The last listing of each of these files in the conversation, after the entry with which the model knew the file. */
function newestListings(
  conversation: Conversation,
  files: readonly KnownFile[],
): ReadonlyMap<string, Listing> {
  const listings = new Map<string, Listing>();
  let sought = files;
  for (let index = conversation.length - 1; sought.length > 0; index -= 1) {
    sought = sought.filter(({ path, position }) => position < index && !listings.has(path));
    const entry = conversation.at(index);
    const lines = entry === undefined ? undefined : linesIn(entry);
    if (lines === undefined) continue;
    const at = timeAt(conversation, index) ?? 0;
    for (const { path } of sought) {
      const isDeleted = lines.has(lineOf("deleted", path));
      if (isDeleted || lines.has(lineOf("modified", path))) listings.set(path, { isDeleted, at });
    }
  }
  return listings;
}

const linesIn = memoize((entry: Entry): ReadonlySet<string> | undefined => {
  const section = sectionsIn(entry).get(CHANGED);
  return section === undefined ? undefined : new Set(section.text.split("\n"));
});

/** The time of the newest environment block. */
function newestTime(conversation: Conversation): number | undefined {
  for (let position = conversation.length - 1; position >= 0; position -= 1) {
    const time = timeAt(conversation, position);
    if (time !== undefined) return time;
  }
  return undefined;
}

function timeAt(conversation: Conversation, position: number): number | undefined {
  const entry = conversation.at(position);
  return entry === undefined ? undefined : timeIn(sectionsIn(entry));
}

function timeIn(sections: ReadonlyMap<string, EnvironmentSection>): number | undefined {
  const time = Date.parse(sections.get(CURRENT_TIME)?.text.split("\n")[1] ?? "");
  return Number.isNaN(time) ? undefined : time;
}
