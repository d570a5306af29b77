import { z } from "zod";
import { DEFAULT_LIMITS } from "../machines/task/index.ts";
import { isTaskId } from "../store/index.ts";
import type { BreakpointLimits } from "./breakpoints.ts";
import { HostError } from "./errors.ts";
import { misfit, type WordLimits } from "./words.ts";

const fn = z.custom((value) => typeof value === "function", "expected a function");
const text = z.string().min(1);
const count = z.int().nonnegative();
const amount = z.number().nonnegative();

/** An object that takes these keys and no others; a key that it doesn't take is told the good ones. */
const options = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown ${issue.keys.join(", ")}; expected ${Object.keys(shape).join(", ")}`
        : undefined,
  });

/** Each limit is a count, but for times in milliseconds and for money. */
const limitOf = (name: string): z.ZodType => (/Ms$|^cost$/.test(name) ? amount : count);
const limits = options(
  Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, limitOf(name)])),
).partial();

const words = options({ textChars: count, images: count, imageChars: count } satisfies Record<
  keyof WordLimits,
  z.ZodType
>).partial();

const breakpoints = options({ heldEvents: z.int().positive() } satisfies Record<
  keyof BreakpointLimits,
  z.ZodType
>).partial();

const llm = options({
  frameMs: amount.optional(),
  idleTimeoutMs: z.number().positive().optional(),
  previewBytes: count.optional(),
  answerMaxChars: count.optional(),
});

const id = z
  .string()
  .refine(isTaskId, "expected 1 to 128 letters, digits, '.', '_' and '-', not beginning with '.'");

const TASK = {
  model: z.object({ id: z.string(), stream: fn }),
  workspace: text,
  tools: z.array(z.looseObject({ name: text })).optional(),
  policy: fn.optional(),
  instructions: z.array(z.string()).optional(),
  limits: limits.optional(),
  words: words.optional(),
  breakpoints: breakpoints.optional(),
  laws: fn.optional(),
  llm: llm.optional(),
  autoRetry: z.boolean().optional(),
  expiry: fn.optional(),
  actors: fn.optional(),
  id: id.optional(),
  mode: text.optional(),
  checkpoints: z.boolean().optional(),
};
const task = options(TASK);
const { id: _id, mode: _mode, ...REOPEN } = TASK;
const again = options({ ...REOPEN, workspace: text.optional() });

const clock = z.looseObject({ now: fn, after: fn });

const host = options({
  dataDir: text.optional(),
  journal: fn.optional(),
  clock: clock.optional(),
  random: fn.optional(),
  newId: fn.optional(),
  subtaskDepth: count.optional(),
  onError: fn.optional(),
});

/** @throws HostError `OPTION_INVALID` naming each option that doesn't fit */
export const expectHostOptions = (given: unknown): void =>
  expect("The options of the host can't be used", host, given);

/** @throws HostError `OPTION_INVALID` naming each option that doesn't fit */
export const expectTaskOptions = (given: unknown): void =>
  expect("The options of the task can't be used", task, given);

/** @throws HostError `OPTION_INVALID` naming each option that doesn't fit */
export function expectReopenOptions(taskId: unknown, given: unknown): void {
  expect("The id of the task can't be used", id, taskId);
  expect("The options of the task can't be used", again, given);
}

function expect(what: string, schema: z.ZodType, given: unknown): void {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new HostError("OPTION_INVALID", misfit(what, parsed.error));
}
