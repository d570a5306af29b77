import path from "node:path";
import { z } from "zod";
import { INTENT_STATUSES, INTENTS_FILE, type Intent, type ReadIntents } from "../tools/intents/intent.ts";
import { globError } from "../tools/policy/path-glob.ts";
import { readDocument } from "./document.ts";
import { SETTINGS_BYTES_MAX } from "./text-file.ts";

/** Limits of the file of intents. */
export interface IntentLimits {
  /** Maximum bytes of the file. Default 262,144. */
  readonly bytes: number;
  /** Maximum number of intents. Default 100. */
  readonly intents: number;
  /** Maximum number of globs, of constraints and of acceptance criteria of an intent. Default 100. */
  readonly entries: number;
  /** Maximum length of a text, in characters. Default 2,000. */
  readonly textChars: number;
}

export const INTENT_LIMITS: IntentLimits = {
  bytes: SETTINGS_BYTES_MAX,
  intents: 100,
  entries: 100,
  textChars: 2_000,
};

/**
 * Read the intents of a workspace, in `.orchestration/active_intents.yaml`. Undefined without the file.
 *
 * @throws SettingsError `SETTINGS_INVALID`, whose message has a line for each problem; `SETTINGS_UNREADABLE`
 */
export async function readIntents(
  workspace: string,
  limits: Partial<IntentLimits> = {},
): Promise<readonly Intent[] | undefined> {
  const all = { ...INTENT_LIMITS, ...limits };
  const file = path.join(workspace, INTENTS_FILE);
  const read = { maxBytes: all.bytes, inside: workspace };
  return (await readDocument(file, schemaOf(all), read))?.value.active_intents.map(toIntent);
}

/**
 * Open the intents of a workspace for a task. Undefined without the file: the task has no intents.
 *
 * @throws SettingsError `SETTINGS_INVALID`, whose message has a line for each problem; `SETTINGS_UNREADABLE`
 */
export async function openIntents(
  workspace: string,
  limits?: Partial<IntentLimits>,
): Promise<ReadIntents | undefined> {
  const found = await readIntents(workspace, limits);
  return found && (async () => (await readIntents(workspace, limits)) ?? []);
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const Id = z
  .string()
  .regex(
    ID,
    "expected an id of 1 to 64 letters, digits, '.', '_' and '-', with a letter or digit first. Rename it.",
  );

const Glob = z.string().superRefine((glob, context) => {
  const message = globError(glob);
  if (message !== undefined) context.addIssue({ code: "custom", message: `${message}. Correct it.` });
});

function schemaOf({ intents, entries, textChars }: IntentLimits) {
  const text = z.string().trim().min(1).max(textChars);
  const texts = z.array(text).max(entries);
  const intent = z.strictObject({
    id: Id,
    name: text,
    status: z.enum(INTENT_STATUSES),
    owned_scope: z.array(Glob.max(textChars)).max(entries),
    constraints: texts.nullish(),
    acceptance_criteria: texts.nullish(),
  });
  return z.strictObject({ active_intents: z.array(intent).max(intents).superRefine(eachIdOnce) });
}

type FileIntent = z.output<ReturnType<typeof schemaOf>>["active_intents"][number];

const toIntent = ({ id, name, status, ...lists }: FileIntent): Intent => ({
  id,
  name,
  status,
  ownedScope: lists.owned_scope,
  constraints: lists.constraints ?? [],
  acceptanceCriteria: lists.acceptance_criteria ?? [],
});

function eachIdOnce(intents: readonly { readonly id: string }[], context: z.RefinementCtx): void {
  const ids = intents.map(({ id }) => id);
  for (const [at, id] of ids.entries())
    if (ids.indexOf(id) < at)
      context.addIssue({
        code: "custom",
        path: [at, "id"],
        message: "expected each id once in the file. Rename or remove one of the intents.",
      });
}
