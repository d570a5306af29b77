/** The file with the intents of a workspace, relative to it. */
export const INTENTS_FILE = ".orchestration/active_intents.yaml";

/** The statuses of an intent. An intent with one of {@link ENDED} can't be selected. */
export const INTENT_STATUSES = ["TODO", "IN_PROGRESS", "BLOCKED", "DONE", "CANCELLED"] as const;
type IntentStatus = (typeof INTENT_STATUSES)[number];

const ENDED: readonly IntentStatus[] = ["DONE", "CANCELLED"];

/** A piece of work that owns a part of the workspace. */
export interface Intent {
  readonly id: string;
  readonly name: string;
  readonly status: IntentStatus;
  /** Globs of the files that it may change, as lines of `.gitignore`. */
  readonly ownedScope: readonly string[];
  readonly constraints: readonly string[];
  readonly acceptanceCriteria: readonly string[];
}

/**
 * Reads the intents of a workspace as they are now. Without the file there are none.
 *
 * @throws Error with what is wrong with the file
 */
export type ReadIntents = () => Promise<readonly Intent[]>;

/** Opens the intents of a workspace, by its folder, for a task; undefined for a workspace without any. */
export type OpenIntents = (workspace: string) => Promise<ReadIntents | undefined>;

/** Whether a task may select it, and go on with it. */
export const isActiveIntent = ({ status }: Intent): boolean => !ENDED.includes(status);

/** The intent that a task may work on, or a clause that says why there is none, with the active ids. */
export function activeIntent(intents: readonly Intent[], id: string): Intent | string {
  const found = intents.find((intent) => intent.id === id);
  if (found !== undefined && isActiveIntent(found)) return found;
  const name = `the intent '${id.slice(0, 100)}'`;
  const problem = found === undefined ? `${name} is unknown` : `${name} is ${found.status}`;
  return `${problem}. ${activeIds(intents)}`;
}

/** A sentence that lists the active ids. */
export function activeIds(intents: readonly Intent[]): string {
  const ids = intents.filter(isActiveIntent).map(({ id }) => id);
  return ids.length === 0
    ? `No intent of ${INTENTS_FILE} is active: ask the user to add one.`
    : `The active intents are: ${ids.join(", ")}.`;
}
