import { z } from "zod";
import { pace } from "./block-schema.ts";
import { fields, isRecord, schemaFor, text } from "./fields.ts";
import type { Fault, MockScript, Rule, Turn } from "./script.ts";
import { type Item, item } from "./turn-schema.ts";

const turns = z
  .array(item, { error: "a list of turns" })
  .min(1, { error: "a list of turns, not empty" })
  .transform(toTurns);

const rule = fields("a rule", {
  when: fields("a condition", {
    user: text("a regular expression for the newest user text").transform(toPattern).optional(),
    conversation: text("a regular expression for all user texts").transform(toPattern).optional(),
    tool: text("the name of the tool of the newest result").optional(),
  }).optional(),
  turns,
}).transform(
  ({ when, turns }): Rule => ({
    user: when?.user,
    conversation: when?.conversation,
    tool: when?.tool,
    turns,
  }),
);

const scriptObject = fields("a script", {
  name: text("a name").optional(),
  seed: z.int({ error: "a seed: a whole number" }).optional(),
  ...pace,
  turns: turns.optional(),
  rules: z
    .array(rule, { error: "a list of rules" })
    .min(1, { error: "a list of rules, not empty" })
    .optional(),
})
  .refine(({ turns, rules }) => turns !== undefined || rules !== undefined, {
    error: "a script with turns or rules",
  })
  .transform(
    ({ name = "script", seed = 1, turns = [], rules = [], ...rest }): MockScript => ({
      name,
      seed,
      turns,
      rules,
      ...rest,
    }),
  );
const listOfTurns = turns.transform(
  (list): MockScript => ({ name: "script", seed: 1, turns: list, rules: [] }),
);
const noScript = z.never({ error: "a script: an object with turns or rules, or a list of turns" });

export const scriptSchema = schemaFor<MockScript>((value) => {
  if (Array.isArray(value)) return listOfTurns;
  return isRecord(value) ? scriptObject : noScript;
});

/** Faults become the first attempts of the response that follows them. */
function toTurns(items: readonly Item[], context: z.RefinementCtx): readonly Turn[] {
  const made: Turn[] = [];
  let faults: Fault[] = [];
  let pending: { readonly fault: Fault; readonly index: number }[] = [];
  for (const [index, entry] of items.entries()) {
    if (entry.fault !== undefined) {
      for (let n = 0; n < entry.times; n += 1) faults.push(entry.fault);
      pending.push({ fault: entry.fault, index });
      continue;
    }
    made.push({ faults, response: entry.response });
    faults = [];
    pending = [];
  }
  if (faults.length > 0) made.push({ faults, response: undefined });
  for (const { fault, index } of pending) {
    if (!("after" in fault) || fault.after === 0 || fault.response !== undefined) continue;
    const message = "a turn after this fault, or blocks of its own: nothing to stream before it";
    context.addIssue({ code: "custom", path: [index], message });
  }
  return made;
}

function toPattern(source: string, context: z.RefinementCtx): RegExp {
  try {
    return new RegExp(source, "su");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.addIssue({ code: "custom", message: `a regular expression (${reason})` });
    return z.NEVER;
  }
}
